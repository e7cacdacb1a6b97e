// Lines of rates, and the newest answers on a time line.

import { colour } from "./showing.js";

const SVG = "http://www.w3.org/2000/svg", MOST_LANES = 10, LETTER = 7;

export function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

export function spark(svg, values, places = 60) {
  const width = 72, height = 20, most = Math.max(...values, 1), step = width / (places - 1);
  const points = values.map((value, place) => [width - (values.length - 1 - place) * step, height - 2 - (value / most) * (height - 4)]);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L");
  svg.replaceChildren(
    element("path", { class: "area", d: `M${points[0][0].toFixed(1)},${height}L${line}L${width},${height}Z` }),
    element("path", { class: "line", d: `M${line}` }),
  );
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 15e3, 30e3, 60e3, 120e3, 300e3, 900e3, 1800e3, 3600e3, 7200e3, 21600e3, 43200e3, 86400e3];

const tick = (time, step) => {
  const text = new Date(time).toISOString();
  return step >= 86400e3 ? text.slice(0, 10) : step >= 60e3 ? text.slice(11, 16) : step >= 1000 ? text.slice(11, 19) : text.slice(14, 23);
};

// answers: [{number, query, start, end}], times in milliseconds; a lane for each query
export function timeline(box, answers) {
  if (!answers.length) { box.replaceChildren(); return; }
  const queries = [...new Set(answers.map((each) => each.query))], lanes = queries.slice(-MOST_LANES);
  const width = Math.max(box.clientWidth, 260), left = Math.min(120, width / 3.5), right = width - 12, row = 20;
  const height = lanes.length * row + 22;
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, height });
  const first = Math.min(...answers.map((each) => each.start)), last = Math.max(...answers.map((each) => each.end));
  const span = Math.max(last - first, 1), x = (time) => left + ((time - first) / span) * (right - left);
  drawTicks(svg, first, last, x, height, (right - left) / 90);
  lanes.forEach((lane, place) => drawLane(svg, lane, place * row + row / 2, left, right, answers.filter((each) => each.query === lane), x));
  if (queries.length > lanes.length) svg.append(element("text", { x: left - 10, y: height - 4, "text-anchor": "end" }, `and ${queries.length - lanes.length} more`));
  box.replaceChildren(svg);
}

function drawTicks(svg, first, last, x, height, most) {
  const step = STEPS.find((each) => (last - first) / each <= most) ?? Math.ceil((last - first) / most / 86400e3) * 86400e3;
  for (let time = Math.ceil(first / step) * step; time <= last; time += step)
    svg.append(element("line", { class: "tick", x1: x(time), x2: x(time), y1: 0, y2: height - 18 }), element("text", { class: "time", x: x(time), y: height - 4, "text-anchor": x(time) > x(last) - 24 ? "end" : "middle" }, tick(time, step)));
}

// Names of queries often begin alike: their ends stay.
const cut = (text, most) => `${text.slice(0, Math.ceil((most - 1) / 2))}…${text.slice(-Math.floor((most - 1) / 2))}`;

function drawLane(svg, lane, y, left, right, answers, x) {
  const group = element("g", { class: colour(lane) });
  const most = Math.floor((left - 10) / LETTER);
  const name = element("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, lane.length > most ? cut(lane, most) : lane);
  name.append(element("title", {}, lane));
  group.append(element("line", { class: "lane", x1: left, x2: right, y1: y, y2: y }), name);
  for (const each of answers) {
    if (each.start < each.end) group.append(element("rect", { class: "span", "data-number": each.number, x: x(each.start), y: y - 4, width: Math.max(x(each.end) - x(each.start), 1), height: 8, rx: 2 }));
    group.append(element("rect", { "data-number": each.number, x: x(each.end) - 1.5, y: y - 6, width: 3, height: 12, rx: 1 }));
  }
  svg.append(group);
}
