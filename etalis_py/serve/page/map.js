// Places on a map without coasts: points with the curves of their newest numbers, lines, and what moves.

import { element } from "./drawing.js";

const WIDEST = 1200, NARROW = 700, LABELLED = 40, GLIDE = 1000; // points, up to which each has its name beside it; milliseconds of a move
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const name = (each) => each.label ?? each.subject.replace(/^.*[#/:](?=.)/, "");

export class PlaceMap {
  constructor(box) { Object.assign(this, { box, places: new Map(), moving: new Map(), links: [] }); }

  get room() { return Math.min(Math.max(this.box.clientWidth, 320), WIDEST); }

  get fits() { return this.width === this.room; }

  // points: [{subject, latitude, longitude, label}]; lines: [{subject, line: [[longitude, latitude]]}]
  draw(points, lines) {
    this.width = this.room;
    this.curve = this.width < NARROW ? { width: 64, height: 20 } : { width: 120, height: 34 };
    this.points = points;
    this.moving = new Map();
    this.links = [];
    this.lines = new Map(lines.map((each) => [each.subject, each.line]));
    this.places = new Map(points.map((each) => [each.subject, each]));
    this.project([...points.map((each) => [each.longitude, each.latitude]), ...lines.flatMap((each) => each.line)]);
    const layers = ["grid", "roads", "states", "links", "points", "moving"].map((each) => [each, element("g", { class: each })]);
    Object.assign(this, { layer: Object.fromEntries(layers), svg: element("svg", { viewBox: `0 0 ${this.width} ${this.height}` }) });
    this.svg.append(...layers.map((each) => each[1]));
    this.drawGrid();
    if (lines.length) this.layer.roads.append(element("path", { d: lines.map((each) => this.path(each.line)).join("") }));
    this.box.replaceChildren(this.svg);
  }

  project(positions) {
    const east = positions.some(([longitude]) => longitude > 90) && positions.some(([longitude]) => longitude < -90);
    this.wrapped = (longitude) => (east && longitude < 0 ? longitude + 360 : longitude);
    const range = (values) => {
      const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
      const pad = (high - low) * (this.lines.size ? 0.03 : 0.12) || 1;
      return [low - pad, high + pad];
    };
    let [west, right] = range(positions.map((each) => this.wrapped(each[0])));
    const [south, north] = range(positions.map((each) => each[1])), scale = Math.cos(((south + north) / 2) * (Math.PI / 180));
    const most = this.width * (this.width < NARROW ? 1 : 0.47), least = this.width * 0.22, tall = (this.width * (north - south)) / ((right - west) * scale);
    this.height = Math.min(Math.max(tall, least), most);
    if (tall > most) { // one scale in both directions: there is room at the sides
      const wide = ((north - south) / most) * (this.width / scale), middle = (west + right) / 2;
      [west, right] = [middle - wide / 2, middle + wide / 2];
    }
    Object.assign(this, { west, right, south, north });
    this.x = (longitude) => ((this.wrapped(longitude) - west) / (right - west)) * this.width;
    this.y = (latitude) => ((north - latitude) / (north - south)) * this.height;
    this.kilometre = ((this.width / (right - west)) / scale) / 111.195;
  }

  path(line) { return `M${line.map(([longitude, latitude]) => `${this.x(longitude).toFixed(1)},${this.y(latitude).toFixed(1)}`).join("L")}`; }

  drawGrid() {
    const grid = this.layer.grid, { west, right, south, north, height } = this;
    if (right - west < 4) { // a city: how long a kilometre is says more than degrees
      const long = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].findLast((each) => each * this.kilometre < 200) ?? 0.1, to = 24 + long * this.kilometre;
      grid.append(element("path", { class: "scale", d: `M24,${height - 26}v6H${to}v-6` }), element("text", { x: (24 + to) / 2, y: height - 30, "text-anchor": "middle" }, long < 1 ? `${long * 1000} m` : `${long} km`));
      return;
    }
    const step = [1, 2, 5, 10, 20, 30].find((each) => (right - west) / each < 10) ?? 45;
    for (let line = Math.ceil(west / step) * step; line < right; line += step) {
      const shown = ((line + 180) % 360) - 180, x = ((line - west) / (right - west)) * this.width;
      grid.append(element("line", { x1: x, x2: x, y1: 0, y2: height }), element("text", { x: x + 3, y: height - 5 }, `${Math.abs(shown)}°${shown < 0 ? "W" : "E"}`));
    }
    for (let line = Math.ceil(south / step) * step; line < north; line += step)
      grid.append(element("line", { y1: this.y(line), y2: this.y(line), x1: 0, x2: this.width }), element("text", { x: 3, y: this.y(line) - 3 }, `${Math.abs(line)}°${line < 0 ? "S" : "N"}`));
  }

  // curves: by subject, points [time, value]; states: [{name, subjects}], each of one colour; told: Set of subjects;
  // positions: by subject of what moves, [longitude, latitude]
  show({ curves, states, told, positions }) {
    this.showStates(states, told);
    this.showMoving(positions, told);
    this.showPoints(curves, states, told);
  }

  showPoints(curves, states, told) {
    const held = new Map(states.flatMap((each, number) => each.facts.flat().map((subject) => [subject, number])));
    const isFew = this.points.length <= LABELLED;
    const taken = this.points.map((each) => this.around(each));
    this.layer.points.replaceChildren(...this.points.map((each) => {
      const isTold = told.has(each.subject), kind = ["place", isTold && "told", held.has(each.subject) && `held state-${held.get(each.subject)}`, !isFew && "small"].filter(Boolean).join(" ");
      const group = element("g", { class: kind }), x = this.x(each.longitude), y = this.y(each.latitude);
      group.append(element("title", {}, [name(each), each.subject, curves.get(each.subject)?.at(-1)[1]].filter(Boolean).join("\n")));
      group.append(element("circle", { cx: x, cy: y, r: isTold ? 7 : isFew ? 5 : held.has(each.subject) ? 5 : 2.5 }));
      if (isFew) group.append(...this.beside(each, this.roomBeside({ x, y }, taken), curves.get(each.subject)));
      else if (isTold) group.append(element("text", { class: "label", x: x + 10, y: y + 4 }, name(each)));
      return group;
    }));
  }

  around(each) {
    const x = this.x(each.longitude), y = this.y(each.latitude);
    return { left: x - 8, top: y - 8, right: x + 8, bottom: y + 8 };
  }

  beside(each, { left, top }, points) {
    const label = element("text", { class: "label", x: left, y: top + 13 }, this.label(each));
    return points?.length > 1 ? [label, ...curve(left, top + 18, points, this.curve)] : [label];
  }

  label(each) {
    const text = name(each), most = this.curve.width / 5;
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }

  // Where the name and the curve of a place have room beside it, and cover no other.
  roomBeside({ x, y }, taken) {
    const { width, height } = this.curve, tall = height + 18;
    const boxes = [0, -0.5, 0.5, -1, 1, -1.6, 1.6].flatMap((shift) => [x + 11, x - 11 - width].map((left) => ({ left, top: y - tall / 2 + shift * tall, right: left + width, bottom: y + tall / 2 + shift * tall })));
    const fits = (box) => box.left > 0 && box.right < this.width && box.top > 0 && box.bottom < this.height;
    const covers = (box) => taken.some((each) => box.left < each.right && each.left < box.right && box.top < each.bottom && each.top < box.bottom);
    const found = boxes.find((box) => fits(box) && !covers(box)) ?? boxes.find(fits) ?? boxes[0];
    taken.push(found);
    return found;
  }

  // What holds: lines in the state's colour; of two places that it is about, a line between them.
  showStates(states, told) {
    const lines = [], links = [];
    states.forEach((state, number) => {
      const held = state.facts.flat().filter((subject) => this.lines.has(subject));
      if (held.length) lines.push(element("path", { class: `state-${number}`, d: held.map((subject) => this.path(this.lines.get(subject))).join("") }));
      for (const fact of state.facts) {
        const [from, to] = fact.filter((subject) => this.where(subject));
        if (to) links.push({ from, to, line: element("line", { class: `state-${number}` }) });
      }
    });
    const toldLines = [...told].filter((subject) => this.lines.has(subject));
    if (toldLines.length) lines.push(element("path", { class: "told", d: toldLines.map((subject) => this.path(this.lines.get(subject))).join("") }));
    this.layer.states.replaceChildren(...lines);
    this.links = links;
    this.layer.links.replaceChildren(...links.map((each) => each.line));
  }

  where(subject) {
    const moving = this.moving.get(subject), place = this.places.get(subject);
    return moving ? { x: moving.x, y: moving.y } : place ? { x: this.x(place.longitude), y: this.y(place.latitude) } : null;
  }

  // It glides to its new place in about the time until the next news of it.
  showMoving(positions, told) {
    const now = performance.now();
    for (const [subject, [longitude, latitude]] of positions) {
      const to = { x: this.x(longitude), y: this.y(latitude) }, known = this.moving.get(subject);
      const group = known?.group ?? this.layer.moving.appendChild(mover(subject));
      group.classList.toggle("told", told.has(subject));
      this.moving.set(subject, { group, to, from: known ? { x: known.x, y: known.y } : to, x: known?.x ?? to.x, y: known?.y ?? to.y });
    }
    this.began = now;
    this.glide();
  }

  glide() {
    cancelAnimationFrame(this.frame);
    const share = calm.matches ? 1 : Math.min((performance.now() - this.began) / GLIDE, 1);
    for (const each of this.moving.values()) {
      each.x = each.from.x + (each.to.x - each.from.x) * share;
      each.y = each.from.y + (each.to.y - each.from.y) * share;
      each.group.setAttribute("transform", `translate(${each.x.toFixed(1)} ${each.y.toFixed(1)})`);
    }
    for (const { from, to, line } of this.links) {
      const [start, end] = [this.where(from), this.where(to)];
      for (const [key, value] of [["x1", start.x], ["y1", start.y], ["x2", end.x], ["y2", end.y]]) line.setAttribute(key, value.toFixed(1));
    }
    if (share < 1 && this.moving.size) this.frame = requestAnimationFrame(() => this.glide());
  }
}

function mover(subject) {
  const group = element("g", { class: "mover" });
  group.append(element("title", {}, subject), element("circle", { r: 11 }), element("text", { y: 4, "text-anchor": "middle" }, name({ subject }).slice(0, 4)));
  return group;
}

function curve(left, top, points, { width, height }) {
  const values = points.map((point) => point[1]), low = Math.min(...values), span = Math.max(...values) - low || 1;
  const first = points[0][0], time = points.at(-1)[0] - first || 1;
  const path = points.map((point) => `${(left + ((point[0] - first) / time) * width).toFixed(1)},${(top + height - 3 - ((point[1] - low) / span) * (height - 6)).toFixed(1)}`);
  return [element("rect", { class: "frame", x: left, y: top, width, height, rx: 3 }), element("path", { class: "curve", d: `M${path.join("L")}` })];
}
