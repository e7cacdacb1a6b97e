// Places on a map without coasts: each with the curve of its newest numbers, and marked while answers are about it.

import { element } from "./drawing.js";

const WIDTH = 1200, CURVE = { width: 120, height: 34 };

// places: [{subject, latitude, longitude, label}]; curves: by subject, points [time, value]; told: Set of subjects
export function drawMap(box, places, curves, told) {
  const east = places.some((each) => each.longitude > 90) && places.some((each) => each.longitude < -90);
  const long = (each) => (east && each.longitude < 0 ? each.longitude + 360 : each.longitude);
  const range = (values, least) => {
    const low = Math.min(...values), high = Math.max(...values), pad = Math.max((high - low) * 0.12, least);
    return [low - pad, high + pad];
  };
  const [west, right] = range(places.map(long), 2), [south, north] = range(places.map((each) => each.latitude), 2);
  const scale = Math.cos(((south + north) / 2) * (Math.PI / 180));
  const height = Math.min(Math.max((WIDTH * (north - south)) / ((right - west) * scale), 240), 620);
  const x = (value) => ((value - west) / (right - west)) * WIDTH, y = (value) => ((north - value) / (north - south)) * height;
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${height}` });
  const step = [1, 2, 5, 10, 20, 30].find((each) => (right - west) / each < 10) ?? 45;
  for (let line = Math.ceil(west / step) * step; line < right; line += step) {
    const shown = ((line + 180) % 360) - 180;
    svg.append(element("line", { class: "grid", x1: x(line), x2: x(line), y1: 0, y2: height }), element("text", { x: x(line) + 3, y: height - 4 }, `${Math.abs(shown)}°${shown < 0 ? "W" : "E"}`));
  }
  for (let line = Math.ceil(south / step) * step; line < north; line += step)
    svg.append(element("line", { class: "grid", y1: y(line), y2: y(line), x1: 0, x2: WIDTH }), element("text", { x: 3, y: y(line) - 3 }, `${Math.abs(line)}°${line < 0 ? "S" : "N"}`));
  const taken = places.map((each) => ({ left: x(long(each)) - 8, top: y(each.latitude) - 8, right: x(long(each)) + 8, bottom: y(each.latitude) + 8 }));
  for (const each of places) {
    const at = { x: x(long(each)), y: y(each.latitude) };
    svg.append(place(each, at, room(at, taken, height), curves.get(each.subject), told.has(each.subject)));
  }
  box.replaceChildren(svg);
}

// Where the name and the curve of a place have room beside it, and cover no other.
function room({ x, y }, taken, height) {
  const tall = CURVE.height + 18;
  const boxes = [0, -0.5, 0.5, -1, 1, -1.6, 1.6].flatMap((shift) => [x + 11, x - 11 - CURVE.width].map((left) => ({ left, top: y - tall / 2 + shift * tall, right: left + CURVE.width, bottom: y + tall / 2 + shift * tall })));
  const fits = (box) => box.left > 0 && box.right < WIDTH && box.top > 0 && box.bottom < height;
  const covers = (box) => taken.some((each) => box.left < each.right && each.left < box.right && box.top < each.bottom && each.top < box.bottom);
  const found = boxes.find((box) => fits(box) && !covers(box)) ?? boxes.find(fits) ?? boxes[0];
  taken.push(found);
  return found;
}

function place(each, { x, y }, { left, top }, points, isTold) {
  const group = element("g", isTold ? { class: "told" } : {});
  const middle = top + 18 + CURVE.height / 2;
  group.append(element("circle", { cx: x, cy: y, r: isTold ? 7 : 5 }));
  const name = each.label ?? each.subject.replace(/^.*[#/:](?=.)/, "");
  group.append(element("text", { class: "label", x: left, y: top + 13 }, name.length > 24 ? `${name.slice(0, 23)}…` : name));
  if (points?.length > 1) {
    const values = points.map((point) => point[1]), low = Math.min(...values), span = Math.max(...values) - low || 1;
    const first = points[0][0], time = points.at(-1)[0] - first || 1;
    const path = points.map((point) => `${left + ((point[0] - first) / time) * CURVE.width},${middle + CURVE.height / 2 - 3 - ((point[1] - low) / span) * (CURVE.height - 6)}`);
    group.append(element("rect", { class: "frame", x: left, y: middle - CURVE.height / 2, width: CURVE.width, height: CURVE.height, rx: 3 }), element("path", { class: "curve", d: `M${path.join("L")}` }));
  }
  group.append(element("title", {}, `${name}\n${each.subject}${points?.length ? `\n${points.at(-1)[1]}` : ""}`));
  return group;
}
