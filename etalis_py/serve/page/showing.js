// Elements, and how terms, times and numbers are written.

export const at = (id) => document.getElementById(id);

export function made(name, className, ...content) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...content.filter((each) => each !== undefined && each !== null));
  return element;
}

export function button(label, className, onClick) {
  const element = made("button", className, label);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

// Text that changes often: the document is touched where it has changed.
export function write(element, content) {
  const value = String(content);
  if (element.textContent !== value) element.textContent = value;
}

// A term of SPARQL's JSON results, the last part of its IRI.
export function short(term) {
  if (term.type === "uri") return term.value.replace(/^.*[#/:](?=.)/, ":");
  if (term.type === "bnode") return `_:${term.value}`;
  if (term.type === "prolog") return term.value;
  return term.datatype || /^[\d.+-]+$/.test(term.value) ? shortNumber(term.value) : `"${term.value}"`;
}

// The same of a term in N-Triples syntax.
export const shortText = (term) =>
  term.startsWith("<") ? short({ type: "uri", value: term.slice(1, -1) }) : shortNumber(term.replace(/^"(.*)"\^\^<.*>$/s, "$1"));

const shortNumber = (text) => (/^-?\d+\.\d{7,}$/.test(text) ? Number(text).toFixed(6) : text);

export const full = (term) => (term.type === "uri" ? `<${term.value}>` : term.value);

export const count = (number) => number.toLocaleString("en");

export const moment = (text) => text?.replace("T", " ").replace(/(\.\d*?)0*Z$/, "$1").replace(/\.?Z?$/, "") ?? "–";

export const size = (bytes) => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`);

export function lasting(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 1) return `${milliseconds < 1 ? "<1" : Math.round(milliseconds)} ms`;
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Number((seconds / 3600).toFixed(1))} h`;
  return `${Math.round(seconds / 86400)} d`;
}

const COLOURS = 6;
const known = new Map();

// Each query has one of some colours, in the order in which they were seen.
export function colour(query) {
  if (!known.has(query)) known.set(query, known.size % COLOURS);
  return `colour-${known.get(query)}`;
}
