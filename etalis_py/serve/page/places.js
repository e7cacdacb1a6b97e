// What has a place on earth: that of the background, and what events tell places of, with what is known of it now.

import { json } from "./client.js";
import { PlaceMap } from "./map.js";
import { at, made } from "./showing.js";

const TOLD = 6000; // milliseconds for which a place that an answer is about stands out
const RARE = 0.05, OFTEN = 0.25; // of the events, of the answers: a query that gives more is nothing to stand out for
const GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#";

export class Places {
  constructor(only) {
    new ResizeObserver(() => { this.isDrawn &&= this.map.fits; }).observe(at("map"));
    Object.assign(this, { only, map: new PlaceMap(at("map")), places: [], told: new Map(), given: new Map(), events: 0, isDrawn: false });
  }

  async begin(base) {
    Object.assign(this, { base, places: await json(`${base}/places`), told: new Map() });
    this.points = this.places.filter((each) => !each.line);
    at("map-part").hidden = this.places.length === 0;
    this.isDrawn = false;
  }

  isRare(query) {
    const number = this.given.get(query) ?? 0, all = [...this.given.values()].reduce((sum, each) => sum + each, 0);
    return number < RARE * this.events && (this.given.size < 2 || number <= OFTEN * all);
  }

  // Places that answers are about, by query, and when.
  tell(answers) {
    if (!this.places.length) return;
    for (const answer of answers) {
      const times = this.told.get(answer.query) ?? new Map();
      this.told.set(answer.query, times);
      const terms = [...Object.values(answer.bindings ?? {}), ...(answer.triples ?? []).flat()];
      for (const term of terms) if (term.type === "uri") times.set(term.value, performance.now());
    }
  }

  async refresh(states, queries, events) {
    Object.assign(this, { events, given: new Map(queries.map((query) => [query.name, query.answers])) });
    if (!this.places.length) return;
    const found = await json(`${this.base}/curves`), curves = curvesOf(found), positions = positionsOf(found);
    const known = this.points.filter((each) => curves.has(each.subject));
    const isNarrow = known.length > 0 && !positions.size && known.length < this.points.length;
    if (!this.isDrawn || (isNarrow && this.shown !== known.length)) {
      this.map.draw(isNarrow ? known : this.points, this.places.filter((each) => each.line));
      Object.assign(this, { isDrawn: true, shown: known.length });
    }
    const shown = states.map((each) => ({ name: each.state, facts: each.facts.map((fact) => fact.of.filter((term) => term.type === "uri").map((term) => term.value)) }));
    this.map.show({ curves, states: shown, told: this.toldNow(), positions });
    this.legend(shown.filter((each) => each.facts.length), shown, positions);
  }

  // Answers that are rare stand out; where one query was chosen, all of its answers.
  toldNow() {
    const now = performance.now(), found = new Set();
    for (const [query, times] of this.told) {
      for (const [subject, time] of times) if (now - time > TOLD) times.delete(subject);
      if (this.only.value || this.isRare(query)) for (const subject of times.keys()) found.add(subject);
    }
    return found;
  }

  legend(held, all, positions) {
    const items = held.map((each) => made("li", `state-${all.indexOf(each)}`, made("i"), `${each.name} (${each.facts.length})`));
    if (positions.size) items.unshift(made("li", "moves", made("i"), `${positions.size} moving`));
    items.push(made("li", "told", made("i"), "an answer is about it"));
    const key = items.map((each) => each.textContent).join();
    if (at("legend").dataset.key === key) return;
    at("legend").dataset.key = key;
    at("legend").replaceChildren(...items);
  }
}

// By subject the numbers that change; of several predicates those that go up and down.
function curvesOf(found) {
  const curves = new Map();
  for (const each of found) {
    if (each.predicate.startsWith(GEO)) continue;
    const moves = each.points.length > 1 && each.points.some((point) => point[1] !== each.points[0][1]);
    const goesBack = each.points.some((point, place) => place && point[1] < each.points[place - 1][1]);
    if (moves && (goesBack || !curves.has(each.subject))) curves.set(each.subject, each.points);
  }
  return curves;
}

function positionsOf(found) {
  const newest = (name) => new Map(found.filter((each) => each.predicate === `${GEO}${name}`).map((each) => [each.subject, each.points.at(-1)[1]]));
  const latitudes = newest("lat");
  return new Map([...newest("long")].filter(([subject]) => latitudes.has(subject)).map(([subject, longitude]) => [subject, [longitude, latitudes.get(subject)]]));
}
