// The live page: what it shows comes from the operations of the server, as any other client has them.

import { Problem, follow, json, request, text } from "./client.js";
import { spark, timeline } from "./drawing.js";
import { Editor } from "./editor.js";
import { drawMap } from "./map.js";

const MOST = 200, DRAWN = 60;
const at = (id) => document.getElementById(id);
const engine = at("engine"), only = at("only"), list = at("answers");
let base = "engines/main", following = null, last = 0, paused = false, waiting = [];
let counts = null, rates = { events: [], answers: [] };
const shown = [];

const made = (name, className, content) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (content !== undefined) element.textContent = content;
  return element;
};

// ---- answers ---------------------------------------------------------------------------------------------

const short = (term) => {
  if (term.type === "uri") return term.value.replace(/^.*[#/:](?=.)/, ":");
  if (term.type === "bnode") return `_:${term.value}`;
  return term.datatype || /^[\d.+-]+$/.test(term.value) ? term.value : `"${term.value}"`;
};

// The same of a term in N-Triples syntax.
const shortText = (term) =>
  term.startsWith("<") ? short({ type: "uri", value: term.slice(1, -1) }) : term.replace(/^"(.*)"\^\^<.*>$/s, "$1");

function values(answer) {
  const box = made("span", "values");
  if (answer.boolean !== undefined) box.append(String(answer.boolean));
  for (const triple of answer.triples ?? []) box.append(`${triple.map(short).join(" ")} . `);
  for (const [name, term] of Object.entries(answer.bindings ?? {})) box.append(made("span", "name", `?${name}`), ` ${short(term)}  `);
  return box;
}

const when = (answer) => (answer.start === answer.end ? answer.end : `${answer.start} – ${answer.end}`)?.replaceAll("T", " ");

function row(number, answer, isNew) {
  const item = made("li", isNew ? "new" : "");
  item.id = `answer-${number}`;
  item.dataset.number = number;
  item.setAttribute("role", "option");
  item.append(made("span", "number", number), made("span", "query", answer.query), values(answer), made("span", "time", when(answer)));
  return item;
}

function show(some) {
  for (const [number, answer] of some) shown.push({ number, query: answer.query, start: Date.parse(answer.start), end: Date.parse(answer.end) });
  shown.splice(0, Math.max(shown.length - MOST, 0));
  const isNew = list.children.length > 0 && some.length < 20;
  list.prepend(...some.slice(-MOST).reverse().map(([number, answer]) => row(number, answer, isNew)));
  while (list.children.length > MOST) list.lastChild.remove();
  timeline(at("timeline"), shown.slice(-DRAWN), why);
}

let drawing = false;
function answerCame(number, answer) {
  last = number;
  tellPlaces(answer);
  waiting.push([number, answer]);
  if (waiting.length > MOST) waiting.shift();
  if (drawing || paused) return;
  drawing = true;
  setTimeout(() => { drawing = false; if (!paused) { const some = waiting; waiting = []; show(some); } }, 100);
}

// ---- places ------------------------------------------------------------------------------------------------

const TOLD = 6000; // milliseconds for which a place that an answer is about stands out
const RARE = 0.05; // of the events: answers of a query that gives more are nothing to stand out for
let places = [], told = new Map(), given = new Map();

function tellPlaces(answer) {
  const isRare = (given.get(answer.query) ?? 0) < RARE * (counts?.events ?? 0);
  if (!places.length || !(isRare || only.value)) return;
  const terms = [...Object.values(answer.bindings ?? {}), ...(answer.triples ?? []).flat()];
  for (const term of terms) if (term.type === "uri") told.set(term.value, performance.now());
}

async function drawPlaces() {
  at("map-part").hidden = places.length === 0;
  if (!places.length) return;
  const curves = new Map();
  for (const each of await json(`${base}/curves`)) {
    const moves = (points) => points.length > 1 && points.some((point) => point[1] !== points[0][1]);
    // of several predicates the one that goes up and down
    const goesBack = each.points.some((point, place) => place && point[1] < each.points[place - 1][1]);
    if (moves(each.points) && (goesBack || !curves.has(each.subject))) curves.set(each.subject, each.points);
  }
  const now = performance.now();
  const known = places.filter((each) => curves.has(each.subject));
  drawMap(at("map"), known.length ? known : places, curves, new Set([...told].filter(([, time]) => now - time < TOLD).map(([subject]) => subject)));
}

async function watch(after) {
  following?.abort();
  following = new AbortController();
  const query = only.value ? `?query=${encodeURIComponent(only.value)}` : "";
  const signal = following.signal;
  try {
    await follow(`${base}/answers${query}`, after, {
      signal,
      onAnswer: answerCame,
      onLost: (count) => (at("lost").textContent = `${count} answers came too fast to be kept`),
      onState: (state) => { at("link").textContent = state; at("link").className = `link ${state}`; },
    });
  } catch (error) { if (!signal.aborted) at("lost").textContent = error.message; }
}

async function begin() {
  shown.length = 0; waiting = []; list.replaceChildren(); at("lost").textContent = ""; counts = null; rates = { events: [], answers: [] };
  at("why-part").hidden = true;
  const status = await json(`${base}/status`);
  places = (await json(`${base}/places`)).filter((each) => !each.line);
  told = new Map();
  watch(Math.max(status.answers - MOST, 0));
  await refresh().catch(() => {}); // it is asked again a second later
}

async function why(number) {
  for (const each of list.children) each.setAttribute("aria-selected", Number(each.dataset.number) === number);
  const part = at("why-part");
  at("why-title").textContent = `Why answer ${number}`;
  try {
    const svg = await text(`${base}/answers/${number}/why`, { headers: { Accept: "image/svg+xml" } });
    at("why").innerHTML = svg;
  } catch (error) { at("why").replaceChildren(made("pre", "", error.message)); }
  part.hidden = false;
  at("why-close").focus({ preventScroll: true });
}

list.addEventListener("click", (event) => { const item = event.target.closest("li"); if (item) why(Number(item.dataset.number)); });
list.addEventListener("keydown", (event) => {
  const items = [...list.children], now = items.findIndex((each) => each.getAttribute("aria-selected") === "true");
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move && items.length) {
    event.preventDefault();
    const next = items[Math.min(Math.max(now + move, 0), items.length - 1)];
    items.forEach((each) => each.setAttribute("aria-selected", each === next));
    list.setAttribute("aria-activedescendant", next.id);
    next.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && now >= 0) why(Number(items[now].dataset.number));
});
at("why-close").addEventListener("click", () => { at("why-part").hidden = true; list.focus(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !at("why-part").hidden) at("why-close").click(); });
at("pause").addEventListener("click", () => {
  paused = !paused;
  at("pause").setAttribute("aria-pressed", paused);
  at("pause").textContent = paused ? "Go on" : "Pause";
  if (!paused && waiting.length) { const some = waiting; waiting = []; show(some); }
});
only.addEventListener("change", () => { shown.length = 0; waiting = []; list.replaceChildren(); watch(Math.max(last - 1000, 0)); });

// ---- how the engine does -----------------------------------------------------------------------------------

const size = (bytes) => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function rate(kind, total, seconds) {
  const per = counts ? Math.max(total - counts[kind], 0) / seconds : 0;
  rates[kind] = [...rates[kind], per].slice(-60);
  at(`${kind.slice(0, -1)}-rate`).textContent = Math.round(per).toLocaleString("en");
  spark(at(`${kind.slice(0, -1)}-line`), rates[kind]);
}

async function refresh() {
  const [status, queries, goals, streams] = await Promise.all([json(`${base}/status`), json(`${base}/queries`), json(`${base}/waiting`), json(`${base}/streams`)]);
  const now = performance.now(), seconds = counts ? (now - counts.at) / 1000 : 1;
  rate("events", status.events, seconds);
  rate("answers", status.answers, seconds);
  counts = { events: status.events, answers: status.answers, at: now };
  at("clock").textContent = status.failure ? `failed: ${status.failure}` : (status.clock ?? "–").replace("T", " ");
  at("late").textContent = status.late;
  at("behind").textContent = size(status.waitingBytes);
  drawQueries(queries, goals);
  drawStreams(streams);
  await drawPlaces();
}

function drawQueries(queries, goals) {
  at("no-queries").hidden = queries.length > 0;
  at("queries").hidden = queries.length === 0;
  const body = at("queries").tBodies[0], names = queries.map((each) => each.name).join();
  if (body.dataset.names !== names) {
    body.dataset.names = names;
    body.replaceChildren(...queries.map((query) => {
      const line = made("tr"), plan = made("button", "", "Plan"), remove = made("button", "", "Remove");
      plan.addEventListener("click", () => showPlan(query.name));
      remove.addEventListener("click", async () => { if (confirm(`Remove the query ${query.name}?`)) { await request(`${base}/queries/${encodeURIComponent(query.name)}`, { method: "DELETE" }); refresh(); } });
      const buttons = made("td");
      buttons.append(plan, " ", remove);
      line.append(made("td", "", query.name), made("td"), made("td"), buttons);
      return line;
    }));
    const chosen = only.value;
    only.replaceChildren(new Option("all queries", ""), ...queries.map((each) => new Option(each.name)));
    only.value = queries.some((each) => each.name === chosen) ? chosen : "";
  }
  given = new Map(queries.map((query) => [query.name, query.answers]));
  queries.forEach((query, place) => {
    body.rows[place].cells[1].textContent = query.answers.toLocaleString("en");
    body.rows[place].cells[2].textContent = (goals[query.name]?.goals ?? 0).toLocaleString("en");
  });
}

async function showPlan(name) {
  at("plan").innerHTML = await text(`${base}/queries/${encodeURIComponent(name)}/plan`, { headers: { Accept: "image/svg+xml" } });
  at("plan").scrollIntoView({ block: "nearest" });
}

function drawStreams(streams) {
  if (!streams.length) return;
  at("streams").replaceChildren(...streams.flatMap((stream) => {
    const rows = made("ol");
    rows.append(...stream.last.slice(-6).reverse().map((each) => {
      const item = made("li", "", `${each.end.replace("T", " ")}  ${each.triple.map(shortText).join(" ")}`);
      item.title = each.triple.join(" ");
      return item;
    }));
    return [made("h3", "", `${stream.stream ?? "default stream"}: ${stream.events.toLocaleString("en")} events`), rows];
  }));
}

// ---- a new query ---------------------------------------------------------------------------------------------

const editor = new Editor(at("text"), at("marks"), at("completions"));
let checking = 0;

function tell(message, kind) { at("problem").textContent = message; at("problem").className = kind; }

function tellProblem(error) {
  tell(error.message, "wrong");
  const place = error instanceof Problem ? error.members.place : null;
  editor.mark(place?.line ? [{ ...place, kind: "wrong" }] : []);
}

async function check() {
  const turn = ++checking;
  if (!editor.text.trim()) { tell("", ""); editor.mark([]); return; }
  try {
    const { errors, warnings } = await json(`${base}/check`, { method: "POST", body: editor.text });
    if (turn !== checking) return;
    const found = [...errors.map((each) => ({ ...each, kind: "wrong" })), ...warnings.map((each) => ({ ...each, kind: "odd" }))];
    editor.mark(found);
    tell(found.map((each) => `${each.code} ${each.message}`).join("\n") || "this can be registered", found[0]?.kind ?? "good");
  } catch (error) { if (turn === checking) tellProblem(error); }
}

let typing = 0;
at("text").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(check, 350); });
async function register() {
  const name = at("name").value.trim();
  try {
    const done = await json(`${base}/queries${name ? `?name=${encodeURIComponent(name)}` : ""}`, { method: "POST", body: editor.text });
    checking++;
    clearTimeout(typing);
    tell(`registered as ${done.names.join(", ")}`, "good");
    at("name").value = "";
    await refresh();
    await showPlan(done.names[0]);
  } catch (error) { tellProblem(error); }
}
at("register").addEventListener("click", register);
at("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); register(); } });

// ---- questions -------------------------------------------------------------------------------------------------

at("prolog").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { answers, more } = await json(`${base}/prolog`, { method: "POST", body: at("goal").value.replace(/\.\s*$/, "") });
    const lines = answers.slice(0, 100).map((each) => Object.entries(each).map(([name, term]) => `${name} = ${term.type === "uri" ? `<${term.value}>` : term.value}`).join(", ") || "true");
    at("solutions").textContent = lines.length ? lines.join("\n") + (more || answers.length > 100 ? "\n…" : "") : "false";
  } catch (error) { at("solutions").textContent = error.message; }
});

// ---- its life ----------------------------------------------------------------------------------------------------

engine.addEventListener("change", () => { base = `engines/${encodeURIComponent(engine.value)}`; begin(); });
engine.replaceChildren(...(await json("engines")).map((each) => new Option(each.engine)));
base = `engines/${encodeURIComponent(engine.value)}`;
await begin();
setInterval(() => refresh().catch(() => {}), 1000);
window.addEventListener("resize", () => timeline(at("timeline"), shown.slice(-DRAWN), why));
