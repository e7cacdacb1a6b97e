// Questions in Prolog, with those that were asked before.

import { json } from "./client.js";
import { at, button, full, made } from "./showing.js";

const MOST = 100, KEPT = 50;
const goal = at("goal"), log = at("solutions");
const asked = JSON.parse(sessionStorage.getItem("asked") ?? "[]");
let place = asked.length, begun = "";

const EXAMPLES = ["waiting(Query, For, Bindings, Start, End)", "rdf(S, P, O)", "rdfs_subclass_of(Class, Super)"];

export function prolog(base) {
  at("examples").replaceChildren(...EXAMPLES.map((each) => button(each, "example", () => { goal.value = each; goal.focus(); })));
  at("prolog").addEventListener("submit", (event) => { event.preventDefault(); if (goal.value.trim()) ask(base(), goal.value.trim()); });
  goal.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = place + step;
    if (!step || next < 0 || next > asked.length) return;
    event.preventDefault();
    if (place === asked.length) begun = goal.value;
    place = next;
    goal.value = asked[place] ?? begun;
  });
}

async function ask(base, question) {
  if (asked.at(-1) !== question) asked.push(question);
  asked.splice(0, asked.length - KEPT);
  sessionStorage.setItem("asked", JSON.stringify(asked));
  place = asked.length;
  goal.value = "";
  const entry = made("div", "entry", made("div", "asked", `?- ${question}`)), answer = made("div", "quiet", "…");
  entry.append(answer);
  log.prepend(entry);
  while (log.children.length > KEPT) log.lastChild.remove();
  try {
    const { answers, more } = await json(`${base}/prolog`, { method: "POST", body: question.replace(/\.\s*$/, "") });
    answer.replaceWith(solutions(answers.slice(0, MOST), more || answers.length > MOST));
  } catch (error) { answer.replaceWith(made("div", "wrong", error.message)); }
}

function solutions(answers, more) {
  if (!answers.length) return made("div", "quiet", "false");
  const rows = answers.map((each) => { // a variable that has no value is not in it
    const values = Object.entries(each).map(([name, term]) => `${name} = ${full(term)}`);
    return made("div", values.length ? "solution" : "good", values.join(", ") || "true");
  });
  return made("div", "", ...rows, more ? made("div", "quiet", "… and more") : null);
}
