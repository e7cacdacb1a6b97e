// The newest answers, as a list and on a time line.

import { svg } from "./client.js";
import { timeline } from "./drawing.js";
import * as sheet from "./sheet.js";
import { at, button, colour, full, lasting, made, moment, short } from "./showing.js";

const MOST = 200, FEW = 6, EVERY = 120; // answers that are shown, that stand out; milliseconds between two times they are drawn
const list = at("answers");

export class Answers {
  constructor() {
    Object.assign(this, { came: [], shown: [], paused: false, isDue: false, drawn: 0, base: "", onShown: () => {} });
    list.addEventListener("click", (event) => { const item = event.target.closest("li"); if (item) this.why(Number(item.dataset.number)); });
    list.addEventListener("keydown", (event) => this.key(event));
    at("timeline").addEventListener("click", (event) => { const number = event.target.dataset?.number; if (number) this.why(Number(number)); });
    at("pause").addEventListener("click", () => this.pause(!this.paused));
    new ResizeObserver(() => this.drawLine()).observe(at("timeline"));
  }

  clear() {
    this.came = [];
    this.shown = [];
    list.replaceChildren();
    this.tellEmpty();
    this.drawLine();
  }

  // pairs of a number and a line of JSON; what cannot be shown is not even read
  add(pairs) {
    this.came = pairs.length >= MOST ? pairs.slice(-MOST) : [...this.came, ...pairs].slice(-MOST);
    this.drawSoon();
  }

  drawSoon() {
    if (this.isDue || this.paused) return;
    this.isDue = true;
    const wait = Math.max(0, this.drawn + EVERY - performance.now());
    setTimeout(() => requestAnimationFrame(() => { this.isDue = false; if (!this.paused) this.draw(); }), wait);
  }

  draw() {
    this.drawn = performance.now();
    const some = this.came.map(([number, line]) => ({ number, ...JSON.parse(line) }));
    this.came = [];
    if (!some.length) return;
    const isNew = list.children.length > 0 && some.length < FEW;
    list.prepend(...some.map((each) => row(each, isNew)).reverse());
    while (list.children.length > MOST) list.lastChild.remove();
    const points = some.map(({ number, query, start, end }) => ({ number, query, start: Date.parse(start), end: Date.parse(end) }));
    this.shown = [...this.shown, ...points].slice(-MOST);
    this.tellEmpty();
    this.drawLine();
    this.onShown(some);
  }

  drawLine() { timeline(at("timeline"), this.shown); }

  tellEmpty() { at("no-answers").hidden = list.children.length > 0; }

  pause(paused) {
    this.paused = paused;
    at("pause").setAttribute("aria-pressed", paused);
    at("pause").textContent = paused ? "Go on" : "Pause";
    if (!paused) this.draw();
  }

  key(event) {
    const items = [...list.children], now = items.findIndex((each) => each.getAttribute("aria-selected") === "true");
    const move = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
    if (move !== undefined && items.length) {
      event.preventDefault();
      this.select(items[Math.min(Math.max(move, 0), items.length - 1)]);
    } else if (event.key === "Enter" && now >= 0) {
      event.preventDefault(); // it would press the first button of what is opened
      this.why(Number(items[now].dataset.number));
    }
  }

  select(item) {
    for (const each of list.querySelectorAll("[aria-selected=true]")) each.setAttribute("aria-selected", false);
    item.setAttribute("aria-selected", true);
    list.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  }

  why(number) {
    const item = at(`answer-${number}`);
    if (item) this.select(item);
    const turn = (step) => { const next = step < 0 ? at(`answer-${number}`)?.nextElementSibling : at(`answer-${number}`)?.previousElementSibling; if (next) this.why(Number(next.dataset.number)); };
    sheet.open(`Why answer ${number}`, async () => [sheet.picture(await svg(`${this.base}/answers/${number}/why`))], {
      actions: [button("Older", "", () => turn(-1)), button("Newer", "", () => turn(1))],
      onTurn: turn,
    });
  }
}

function values(answer) {
  const box = made("span", "values");
  if (answer.boolean !== undefined) box.append(String(answer.boolean));
  for (const triple of answer.triples ?? []) {
    const part = made("span", "value", triple.map(short).join(" "));
    part.title = triple.map(full).join(" ");
    box.append(part);
  }
  for (const [name, term] of Object.entries(answer.bindings ?? {})) {
    const part = made("span", "value", made("span", "name", `?${name}`), ` ${short(term)}`);
    part.title = full(term);
    box.append(part);
  }
  return box;
}

function row(answer, isNew) {
  const item = made("li", isNew ? "new" : "");
  item.id = `answer-${answer.number}`;
  item.dataset.number = answer.number;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", false);
  const long = Date.parse(answer.end) - Date.parse(answer.start);
  const time = made("time", "when", moment(answer.end), answer.start === answer.end ? null : made("span", "long", ` ⟵ ${lasting(long)}`));
  time.title = `${answer.start} – ${answer.end}`;
  const query = made("span", `query ${colour(answer.query)}`, answer.query);
  query.title = answer.query;
  item.append(made("span", "number", String(answer.number)), query, values(answer), time);
  return item;
}
