// The streams with their last events, and what has begun and not ended.

import { at, count, full, made, moment, short, shortText, write } from "./showing.js";

const LAST = 6, FACTS = 6;

export function showStreams(streams) {
  at("no-streams").hidden = streams.length > 0;
  const box = at("streams");
  while (box.children.length > streams.length) box.lastChild.remove();
  streams.forEach((stream, place) => {
    const part = box.children[place] ?? box.appendChild(made("div", "stream", made("h3", "", made("span", "grow"), made("span", "quiet")), made("ol", "events")));
    write(part.querySelector(".grow"), stream.stream ?? "default stream");
    write(part.querySelector(".quiet"), `${count(stream.events)} events`);
    const last = stream.last.slice(-LAST).reverse(), key = JSON.stringify(last.map((each) => [each.end, each.triple]));
    if (part.dataset.key === key) return;
    part.dataset.key = key;
    part.querySelector("ol").replaceChildren(...last.map(event));
  });
}

function event(each) {
  const [subject, predicate, object] = each.triple.map(shortText);
  const item = made("li", "", made("time", "", moment(each.end)), made("span", "triple", made("span", "subject", subject), ` ${predicate} `, made("span", "object", object)));
  item.title = each.triple.join(" ");
  return item;
}

export function showStates(states) {
  at("states-part").hidden = states.length === 0;
  at("states").replaceChildren(...states.flatMap((each) => {
    const facts = each.facts.slice(-FACTS).reverse().map((fact) => {
      const item = made("li", "", made("span", "triple", fact.of.map(short).join("  ")), made("time", "", `since ${moment(fact.since)}`));
      item.title = fact.of.map(full).join(" ");
      return item;
    });
    const number = each.more ? `more than ${count(each.facts.length)}` : count(each.facts.length);
    return [made("h3", "", made("span", "grow", each.state), made("span", "quiet", number)), made("ol", "events", ...facts)];
  }));
}
