// What is shown beside the rest, until it is closed: why an answer was given, what a query is.

import { at, made } from "./showing.js";

const sheet = at("sheet");

sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
at("sheet-close").addEventListener("click", () => sheet.close());
sheet.addEventListener("close", () => { turn = null; });
sheet.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step && turn) turn(step);
});

let turn = null;

// fill: gives the parts to be shown, or throws what is told instead; onTurn: what the arrow keys do
export async function open(title, fill, { actions = [], onTurn = null } = {}) {
  at("sheet-title").textContent = title;
  at("sheet-actions").replaceChildren(...actions);
  turn = onTurn;
  if (!sheet.open) { at("sheet-body").replaceChildren(); sheet.showModal(); }
  const parts = await fill().catch((error) => [made("pre", "wrong", error.message)]);
  if (at("sheet-title").textContent === title) at("sheet-body").replaceChildren(...parts);
}

export const close = () => sheet.close();

export const plan = (svg, words) => [picture(svg), made("h3", "", "In words, and how Spark would deal it out"), made("pre", "code", words.trim())];

export function picture(svg) {
  const box = made("div", "picture");
  box.innerHTML = svg;
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "picture");
  return box;
}
