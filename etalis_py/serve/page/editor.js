// The text of a query: words in colours, marks where something is wrong, completion.

const WORDS = ("SELECT CONSTRUCT ASK DESCRIBE WHERE PREFIX BASE FROM NAMED WINDOW ON RANGE STEP SEQ EQUALS OPTIONALSEQ EQUALSOPTIONAL " +
  "OPTIONAL UNION MINUS FILTER BIND AS VALUES GROUP BY HAVING ORDER LIMIT OFFSET DISTINCT EXISTS NOT FOR WITHIN REPEAT TO ALL NEXT " +
  "STRICT ANY LONGEST PER MEASURES AFTER EVERY STREAM EVENT GRAPH REGISTER RSTREAM ISTREAM DSTREAM REPORT COUNT SUM AVG MIN MAX " +
  "getDURATION getSTARTTIME getENDTIME PRAGMA SKIP PAST LAST MEETS OVERLAPS DURING STARTS FINISHES PAR").split(" ");
const TOKENS = /(#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>)|([?$][\p{L}_][\p{L}\p{N}_]*)|([\p{L}_][\p{L}\p{N}_-]*:?)/gu;
const KNOWN = new Set(WORDS.map((word) => word.toUpperCase()));
const KINDS = ["comment", "string", "variable", "word"];

const escaped = (value) => value.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

export class Editor {
  constructor(area, marks, completions) {
    Object.assign(this, { area, marks, completions, places: [], chosen: 0 });
    area.addEventListener("input", () => this.draw());
    area.addEventListener("scroll", () => (marks.scrollTop = area.scrollTop));
    area.addEventListener("blur", () => setTimeout(() => this.hide(), 150));
    area.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => (marks.style.height = `${area.offsetHeight}px`)).observe(area);
    this.draw();
  }

  get text() { return this.area.value; }
  set text(value) { this.area.value = value; this.draw(); }

  // places: [{line, column, kind}], from 1
  mark(places) { this.places = places; this.draw(); }

  draw() {
    const text = this.text;
    const starts = [0, ...[...text.matchAll(/\n/g)].map((found) => found.index + 1)];
    const wrong = new Map(this.places.filter((each) => each.line).map((each) => [(starts[each.line - 1] ?? text.length) + (each.column ?? 1) - 1, each.kind]));
    let html = "", last = 0;
    const put = (part, kind, at) => {
      const mark = [...wrong].find(([place]) => place >= at && place < at + Math.max(part.length, 1));
      const names = [kind, mark?.[1]].filter(Boolean).join(" ");
      html += names ? `<span class="${names}">${escaped(part)}</span>` : escaped(part);
    };
    for (const found of text.matchAll(TOKENS)) {
      put(text.slice(last, found.index), "", last);
      let kind = KINDS[found.slice(1).findIndex((each) => each !== undefined)];
      if (kind === "word" && !KNOWN.has(found[0].toUpperCase())) kind = "";
      put(found[0], kind, found.index);
      last = found.index + found[0].length;
    }
    put(text.slice(last), "", last);
    if (wrong.has(text.length)) html += '<span class="wrong"> </span>';
    this.marks.innerHTML = `${html}\n`;
  }

  key(event) {
    const shown = !this.completions.hidden;
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.complete(); }
    else if (shown && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const count = this.completions.children.length;
      this.choose((this.chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (shown && (event.key === "Enter" || event.key === "Tab")) { event.preventDefault(); this.take(this.completions.children[this.chosen].textContent); }
    else if (shown && event.key === "Escape") { event.preventDefault(); this.hide(); }
    else if (shown && event.key.length > 1 && !["Shift", "Control", "Backspace"].includes(event.key)) this.hide();
  }

  begun() { return this.text.slice(0, this.area.selectionStart).match(/[?$]?[\p{L}\p{N}_:-]*$/u)[0]; }

  complete() {
    const begun = this.begun();
    const variables = [...new Set(this.text.match(/[?$][\p{L}_][\p{L}\p{N}_]*/gu) ?? [])].filter((each) => each !== begun);
    const prefixes = [...this.text.matchAll(/PREFIX\s+([\p{L}\p{N}_-]*:)/giu)].map((found) => found[1]);
    const found = [...variables, ...prefixes, ...WORDS].filter((each) => each.toLowerCase().startsWith(begun.toLowerCase()));
    if (found.length === 1) { this.take(found[0]); return; }
    this.completions.replaceChildren(...found.slice(0, 40).map((each) => {
      const item = document.createElement("li");
      item.textContent = each;
      item.setAttribute("role", "option");
      item.addEventListener("mousedown", (event) => { event.preventDefault(); this.take(each); });
      return item;
    }));
    this.completions.hidden = found.length === 0;
    if (found.length) this.choose(0);
  }

  choose(number) {
    this.chosen = number;
    [...this.completions.children].forEach((each, place) => each.setAttribute("aria-selected", place === number));
    this.completions.children[number].scrollIntoView({ block: "nearest" });
  }

  take(word) {
    const begun = this.begun(), at = this.area.selectionStart;
    this.area.setRangeText(word, at - begun.length, at, "end");
    this.hide();
    this.area.dispatchEvent(new Event("input"));
    this.area.focus();
  }

  hide() { this.completions.hidden = true; }
}
