// A new query: what is wrong with it, what it would do, and its registration.

import { json, request, svg, text } from "./client.js";
import { Editor } from "./editor.js";
import * as sheet from "./sheet.js";
import { at, button, made } from "./showing.js";

const PAUSE = 300; // milliseconds without typing, after which a text is looked at

export class Writing {
  constructor({ onRegistered }) {
    Object.assign(this, { onRegistered, base: "", turn: 0, timer: 0 });
    this.editor = new Editor(at("text"), at("marks"), at("completions"), {
      complete: (written, offset) => json(`${this.base}/complete?offset=${offset}`, { method: "POST", body: written }),
      onInput: () => { this.turn++; clearTimeout(this.timer); this.timer = setTimeout(() => this.look(), PAUSE); },
    });
    at("register").addEventListener("click", () => this.register());
    at("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.register(); } });
    at("name").addEventListener("keydown", (event) => { if (event.key === "Enter") this.register(); });
    at("example-query").addEventListener("click", () => { this.editor.text = at("example-text").textContent.trim(); at("text").focus(); });
  }

  tell(items) {
    at("problems").replaceChildren(...items.map(({ kind, code, message, hint, line, column }) => {
      const place = line ? `line ${line}, column ${column}` : null;
      const head = made("span", "head", code ? made("strong", "", code) : null, place ? made("span", "quiet", place) : null);
      const content = [head.childNodes.length ? head : null, made("span", "", message), hint ? made("span", "hint", hint) : null];
      if (!place) return made("li", kind, ...content);
      const go = button("", "", () => this.editor.go(line, column));
      go.append(...content.filter(Boolean));
      return made("li", kind, go);
    }));
  }

  async look() {
    const turn = ++this.turn, written = this.editor.text;
    at("no-plan").hidden = Boolean(written.trim());
    if (!written.trim()) { this.tell([]); this.editor.mark([]); this.drawPlan("", ""); return; }
    const body = { method: "POST", body: written };
    try {
      const { errors, warnings } = await json(`${this.base}/check`, body);
      if (turn !== this.turn) return;
      const found = [...errors.map((each) => ({ ...each, kind: "wrong" })), ...warnings.map((each) => ({ ...each, kind: "odd" }))];
      this.editor.mark(found);
      this.tell(found.length ? found : [{ kind: "good", message: "It can be registered." }]);
      at("plan").classList.toggle("old", errors.length > 0);
      if (errors.length) return;
      const [picture, plan] = await Promise.all([svg(`${this.base}/explain`, body), text(`${this.base}/explain`, body)]);
      if (turn === this.turn) this.drawPlan(picture, plan);
    } catch (error) { if (turn === this.turn) this.tell([{ kind: "wrong", message: error.message }]); }
  }

  drawPlan(picture, plan) {
    at("plan").classList.remove("old");
    at("plan").replaceChildren(...(picture ? sheet.plan(picture, plan) : []));
  }

  async register() {
    const name = at("name").value.trim();
    clearTimeout(this.timer);
    const turn = ++this.turn;
    try {
      const response = await request(`${this.base}/queries${name ? `?name=${encodeURIComponent(name)}` : ""}`, { method: "POST", body: this.editor.text });
      const { names } = await response.json();
      this.tell([{ kind: "good", message: `Registered as ${names.join(", ")}. Its answers come when events do.` }]);
      at("name").value = "";
      this.onRegistered();
    } catch (error) {
      const found = { ...error.members, ...error.members?.place, message: error.members?.detail ?? error.message, kind: "wrong" };
      if (turn === this.turn) { this.tell([found]); this.editor.mark([found]); }
    }
  }
}
