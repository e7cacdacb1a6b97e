// The text of a query: words in colours, marks where something is wrong, completion.

import { made } from "./showing.js";

const TOKENS = /(#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>)|([?$][\p{L}_][\p{L}\p{N}_]*)|((?<![\p{L}\p{N}_:-])(?:[A-Z]{2,}|a(?=\s)|[\p{L}_]\w*(?=\s*\())(?![\p{L}\p{N}_:-]))/gu;
const KINDS = ["comment", "string", "variable", "word"];
const BEGINS = /[?$:<]$/; // after these, completions are offered unasked

// Columns and offsets of the server count characters, those of JavaScript units of UTF-16.
const units = (text, characters) => Array.from(text).slice(0, characters).join("").length;
const characters = (text) => Array.from(text).length;

export class Editor {
  // complete: gives completions of a text at an offset; onInput is called after each change
  constructor(area, marks, list, { complete, onInput }) {
    Object.assign(this, { area, marks, list, complete, onInput, places: [], found: [], chosen: 0, turn: 0, isWanted: false });
    area.addEventListener("input", (event) => { this.places = []; this.draw(); this.onInput(); this.offer(event); });
    area.addEventListener("scroll", () => { marks.scrollTop = area.scrollTop; this.hide(); });
    area.addEventListener("blur", () => this.hide());
    area.addEventListener("keydown", (event) => this.key(event));
    area.addEventListener("click", () => this.hide());
    this.draw();
  }

  get text() { return this.area.value; }

  set text(value) {
    this.area.value = value;
    this.places = [];
    this.draw();
    this.onInput();
  }

  // found: [{line, column, length, kind}], from 1
  mark(found) {
    this.places = found.filter((each) => each.line).map((each) => {
      const from = this.offset(each.line, each.column ?? 1);
      return { ...each, from, to: from + Math.max(units(this.text.slice(from), each.length ?? 1), 1) };
    });
    this.draw();
  }

  offset(line, column) {
    const lines = this.text.split("\n"), before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    return Math.min(before + units(lines[line - 1] ?? "", column - 1), this.text.length);
  }

  go(line, column) {
    const place = this.offset(line, column);
    this.area.focus();
    this.area.setSelectionRange(place, place);
  }

  draw() {
    const text = this.text, kinds = [...text.matchAll(TOKENS)].map((each) => ({ from: each.index, to: each.index + each[0].length, kind: KINDS[each.slice(1).findIndex((part) => part !== undefined)] }));
    const spans = [...kinds, ...this.places];
    const cuts = [...new Set([0, text.length, ...spans.flatMap((each) => [each.from, Math.min(each.to, text.length)])])].sort((a, b) => a - b);
    let next = 0;
    const parts = cuts.slice(1).map((to, place) => {
      const from = cuts[place], part = text.slice(from, to);
      while (next < kinds.length && kinds[next].to <= from) next++;
      const kind = kinds[next]?.from <= from ? kinds[next].kind : null;
      const names = [kind, ...this.places.filter((each) => each.from <= from && from < each.to).map((each) => each.kind)].filter(Boolean);
      return names.length ? made("span", names.join(" "), part) : part;
    });
    const atEnd = this.places.find((each) => each.from >= text.length);
    this.marks.replaceChildren(...parts, atEnd ? made("span", atEnd.kind, " ") : "", "\n");
    this.marks.scrollTop = this.area.scrollTop;
  }

  // ---- completion ------------------------------------------------------------------------------------------

  key(event) {
    const keys = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.offer(); return; }
    if (this.list.hidden) return;
    if (event.key in keys) {
      event.preventDefault();
      const last = this.found.length - 1, to = this.chosen + keys[event.key];
      this.choose(Math.abs(keys[event.key]) > 1 ? Math.min(Math.max(to, 0), last) : (to + last + 1) % (last + 1));
    } else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") { event.preventDefault(); this.take(this.found[this.chosen]); }
    else if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); this.hide(); }
    else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) this.hide();
  }

  // event: what was typed; without one it was asked for
  async offer(event) {
    const place = this.area.selectionStart, before = this.text.slice(0, place), turn = ++this.turn;
    this.isWanted ||= !event || (event.inputType === "insertText" && BEGINS.test(before));
    if (!this.isWanted) return;
    if (event && /\s$/.test(before)) { this.hide(); return; }
    const found = await this.complete(this.text, characters(before)).catch(() => []);
    if (turn !== this.turn || place !== this.area.selectionStart || document.activeElement !== this.area) return;
    this.found = found.map((each) => ({ ...each, from: units(this.text, each.start), to: place }));
    const isDone = this.found.length === 1 && this.found[0].text === this.text.slice(this.found[0].from, place);
    if (!this.found.length || isDone) this.hide();
    else if (this.found.length === 1 && !event) this.take(this.found[0]);
    else this.show();
  }

  show() {
    this.list.replaceChildren(...this.found.map((each, number) => {
      const item = made("li", "", made("span", `kind ${each.kind}`, each.kind), made("span", "text", each.text), made("span", "detail", each.detail === each.kind ? "" : each.detail));
      item.id = `completion-${number}`;
      item.setAttribute("role", "option");
      item.addEventListener("mousedown", (event) => { event.preventDefault(); this.take(each); });
      return item;
    }));
    this.list.hidden = false;
    this.put(this.found[0].from);
    this.choose(0);
    this.area.setAttribute("aria-expanded", true);
  }

  // Below the line of the text at a place, within the editor's width.
  put(place) {
    const range = document.createRange(), walker = document.createTreeWalker(this.marks, NodeFilter.SHOW_TEXT);
    let rest = place;
    while (walker.nextNode() && rest > walker.currentNode.length) rest -= walker.currentNode.length;
    range.setStart(walker.currentNode, Math.min(rest, walker.currentNode.length));
    const where = range.getBoundingClientRect(), box = this.marks.getBoundingClientRect();
    const left = Math.min(where.left - box.left, Math.max(box.width - this.list.offsetWidth, 0));
    this.list.style.left = `${Math.max(left, 0)}px`;
    this.list.style.top = `${where.bottom - box.top + 2}px`;
  }

  choose(number) {
    this.chosen = number;
    [...this.list.children].forEach((each, place) => each.setAttribute("aria-selected", place === number));
    this.list.children[number].scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `completion-${number}`);
  }

  take({ text, from, to }) {
    this.area.setRangeText(text, from, to, "end");
    this.hide();
    this.places = [];
    this.draw();
    this.onInput();
    this.area.focus();
  }

  hide() {
    this.turn++;
    this.isWanted = false;
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
    this.area.setAttribute("aria-expanded", false);
  }
}
