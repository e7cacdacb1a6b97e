// The queries: what they gave, what they keep, their plans.

import { json, request, svg, text } from "./client.js";
import * as sheet from "./sheet.js";
import { at, button, colour, count, made, size, write } from "./showing.js";

const MANY = 8; // queries, from which on they can be looked for by name

export class Queries {
  constructor({ only, onChange }) {
    Object.assign(this, { only, onChange, base: "", before: null, may: new Set() });
    at("find-query").addEventListener("input", () => this.find());
  }

  find() {
    const part = at("find-query").value.trim().toLowerCase();
    for (const line of at("queries").tBodies[0].rows) line.hidden = !line.dataset.name.toLowerCase().includes(part);
  }

  show(queries, kept) {
    const now = performance.now(), seconds = this.before ? (now - this.before.at) / 1000 : 1;
    const before = this.before?.counts ?? new Map();
    Object.assign(this, { before: { at: now, counts: new Map(queries.map((each) => [each.name, each.answers])) } });
    at("no-queries").hidden = queries.length > 0;
    at("queries").hidden = queries.length === 0;
    at("find-part").hidden = queries.length < MANY;
    at("query-count").textContent = queries.length ? count(queries.length) : "";
    this.rows(queries);
    const body = at("queries").tBodies[0];
    queries.forEach((query, place) => {
      const cells = body.rows[place].cells, rate = Math.max(query.answers - (before.get(query.name) ?? query.answers), 0) / seconds;
      write(cells[1], count(query.answers));
      write(cells[2], rate ? (rate < 10 ? rate.toFixed(1) : count(Math.round(rate))) : "–");
      write(cells[3], count(kept[query.name]?.goals ?? 0));
      write(cells[4], count(kept[query.name]?.windows ?? 0));
      write(cells[5], size(kept[query.name]?.bytes ?? 0));
    });
  }

  rows(queries) {
    const body = at("queries").tBodies[0], names = queries.map((each) => each.name).join("\n");
    if (body.dataset.names === names) return;
    body.dataset.names = names;
    body.replaceChildren(...queries.map((query) => {
      const name = button(query.name, `link ${colour(query.name)}`, () => this.open(query.name));
      name.title = query.name;
      name.setAttribute("aria-label", `${query.name}: text, plan, what it keeps`);
      const line = made("tr", "", made("td", "", name), ...[1, 2, 3, 4, 5].map(() => made("td", "number")));
      line.dataset.name = query.name;
      return line;
    }));
    const chosen = this.only.value;
    this.only.replaceChildren(new Option("all queries", ""), ...queries.map((each) => new Option(each.name)));
    this.only.value = queries.some((each) => each.name === chosen) ? chosen : "";
    this.find();
  }

  open(name) {
    const path = `${this.base}/queries/${encodeURIComponent(name)}`;
    const actions = [button("Only its answers", "", () => { this.only.value = name; this.only.dispatchEvent(new Event("change")); sheet.close(); })];
    if (this.may.has("register")) actions.push(button("Remove", "danger", () => this.remove(name, path)));
    sheet.open(name, async () => {
      const [about, picture, plan, kept] = await Promise.all([json(path), svg(`${path}/plan`), text(`${path}/plan`), json(`${this.base}/waiting`)]);
      return [
        made("h3", "", "Text"), made("pre", "code", about.text.trim()),
        made("h3", "", "What it keeps now"), keeps(kept[name]?.operators ?? []),
        made("h3", "", "Plan"), ...sheet.plan(picture, plan),
      ];
    }, { actions });
  }

  async remove(name, path) {
    if (!confirm(`Remove the query ${name}? What it has waited for is lost.`)) return;
    await request(path, { method: "DELETE" });
    sheet.close();
    this.onChange();
  }
}

function keeps(operators) {
  if (!operators.length) return made("p", "quiet", "Nothing: each of its answers is made of one instant.");
  const rows = operators.map((each) => made("tr", "", made("td", "mono", each.operator), made("td", "", each.aggregate ? "window of an aggregate" : "waits for the rest"), made("td", "", each.window ?? "no end"), made("td", "number", count(each.kept)), made("td", "number", size(each.bytes))));
  const head = made("tr", "", ...["operator", "what", "forgets after", "kept", "memory"].map((each, place) => made("th", place > 2 ? "number" : "", each)));
  return made("div", "scroll", made("table", "", made("thead", "", head), made("tbody", "", ...rows)));
}
