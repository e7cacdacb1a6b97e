// The live page: what it shows comes from the operations of the server, as any other client has them.

import { Answers } from "./answers.js";
import { follow, forgetToken, json } from "./client.js";
import { spark } from "./drawing.js";
import { Places } from "./places.js";
import { prolog } from "./prolog.js";
import { Queries } from "./queries.js";
import { at, count, moment, size, write } from "./showing.js";
import { showStates, showStreams } from "./streams.js";
import { Writing } from "./writing.js";

const RECENT = 200, RATES = 60, EVERY = 1000;
const engine = at("engine"), only = at("only");
const answers = new Answers(), places = new Places(only);
const queries = new Queries({ only, onChange: () => refresh() });
const writing = new Writing({ onRegistered: () => refresh() });
let base = "engines/main", following = null, known = null, began = null, rates = null;

// ---- answers ---------------------------------------------------------------------------------------------

answers.onShown = (some) => places.tell(some);

async function watch(after) {
  following?.abort();
  following = new AbortController();
  const signal = following.signal, query = only.value ? `?query=${encodeURIComponent(only.value)}` : "";
  try {
    await follow(`${base}/answers${query}`, after, {
      signal,
      resume,
      onAnswers: (pairs) => answers.add(pairs),
      onLost: (number) => write(at("lost"), `${count(number)} came too fast to be shown`),
      onState: tellState,
    });
  } catch (error) { if (!signal.aborted) tellFailure(error.message); }
}

// Where answers go on after a lost connection: a server that keeps nothing began with number 1 again.
async function resume(after) {
  const status = await json(`${base}/status`);
  if (status.survives || status.began === began) return after;
  await start(status);
  return 0;
}

function tellState(state) {
  document.body.dataset.link = state;
  at("link").className = `pill ${state}`;
  write(at("link"), { open: "live", lost: "reconnecting", connecting: "connecting", ended: "not connected" }[state]);
}

function tellFailure(message) {
  at("failure").hidden = !message;
  write(at("failure"), message ?? "");
}

only.addEventListener("change", () => { answers.clear(); watch(Math.max((known?.answers ?? 0) - 5 * RECENT, 0)); });

// ---- how the engine does -----------------------------------------------------------------------------------

function rate(kind, total, seconds) {
  const per = rates.before ? Math.max(total - rates.before[kind], 0) / seconds : 0;
  rates[kind] = [...rates[kind], per].slice(-RATES);
  write(at(`${kind}-rate`), count(Math.round(per)));
  spark(at(`${kind}-line`), rates[kind], RATES);
}

async function refresh() {
  const status = await json(`${base}/status`);
  tellStatus(status);
  if (status.failure) return; // it can be asked nothing more
  const [all, kept, streams, states] = await Promise.all(["queries", "waiting", "streams", "states"].map((each) => json(`${base}/${each}`)));
  queries.show(all, kept);
  showStreams(streams);
  showStates(states);
  await places.refresh(states, all, status.events);
}

function tellStatus(status) {
  const now = performance.now(), seconds = rates.before ? (now - rates.before.at) / 1000 : 1;
  known = status;
  rate("events", status.events, seconds);
  rate("answers", status.answers, seconds);
  rates.before = { events: status.events, answers: status.answers, at: now };
  write(at("clock"), moment(status.clock));
  write(at("late"), count(status.late));
  write(at("behind"), size(status.waitingBytes));
  write(at("memory"), status.memoryBytes === null ? "–" : size(status.memoryBytes));
  at("no-events").hidden = status.events > 0;
  tellFailure(status.failure && `The engine has failed, and takes nothing more: ${status.failure}`);
  at("restart-part").hidden = !status.failure || status.survives || !queries.may.has("register");
}

async function start(status) {
  [known, began] = [status, status.began];
  rates = { events: [], answers: [], before: null };
  answers.clear();
  write(at("lost"), "");
  for (const each of [answers, queries, writing]) each.base = base;
  if (!status.failure) await places.begin(base);
}

async function begin() {
  const status = await json(`${base}/status`);
  only.value = "";
  await start(status);
  watch(Math.max(status.answers - RECENT, 0));
  await refresh().catch(() => {}); // it is asked again a second later
}

// ---- its life ----------------------------------------------------------------------------------------------------

function allow({ name, roles }) {
  queries.may = new Set(roles);
  write(at("holder"), name === "local" ? "" : `${name}: ${roles.join(", ")}`);
  for (const part of document.querySelectorAll("[data-role]")) part.hidden = !part.dataset.role.split(" ").some((each) => roles.includes(each));
}

at("leave").addEventListener("click", () => { forgetToken(); location.reload(); });

async function open() {
  allow(await json("rights"));
  engine.replaceChildren(...(await json("engines")).map((each) => new Option(each.engine)));
  base = `engines/${encodeURIComponent(engine.value)}`;
  await begin();
}

at("restart").addEventListener("click", () => json(`${base}/restart`, { method: "POST" }).then(begin).catch((error) => tellFailure(error.message)));
at("address").textContent = location.origin;
engine.addEventListener("change", () => { base = `engines/${encodeURIComponent(engine.value)}`; begin(); });
prolog(() => base);
try {
  await open();
  for (;;) {
    await new Promise((done) => setTimeout(done, EVERY));
    await refresh().catch(() => {});
  }
} catch (error) {
  tellState("ended");
  tellFailure(error.message);
}
