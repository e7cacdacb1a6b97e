// Lines of rates, and the newest answers on a time line.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

export function spark(svg, values) {
  const width = 70, height = 18, most = Math.max(...values, 1);
  const points = values.map((value, place) => `${(place / Math.max(values.length - 1, 1)) * width},${height - 2 - (value / most) * (height - 4)}`);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(element("path", { d: `M${points.join("L")}` }));
}

const clockTime = (time, span) => {
  const text = new Date(time).toISOString();
  return span > 172800e3 ? text.slice(0, 10) : span > 5000 ? text.slice(11, 19) : text.slice(14, 23);
};

// answers: [{query, start, end}], times in milliseconds; a lane a query
export function timeline(box, answers, onChoose) {
  if (!answers.length) { box.replaceChildren(); return; }
  const lanes = [...new Set(answers.map((each) => each.query))].slice(0, 12);
  const first = Math.min(...answers.map((each) => each.start)), last = Math.max(...answers.map((each) => each.end));
  const width = Math.max(box.clientWidth, 300), left = Math.min(130, width / 4), span = Math.max(last - first, 1), row = 18;
  const x = (time) => left + ((time - first) / span) * (width - left - 10);
  const height = lanes.length * row + 20;
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, height });
  lanes.forEach((lane, place) => {
    const y = place * row + row / 2;
    svg.append(element("line", { x1: left, x2: width - 10, y1: y, y2: y }), element("text", { x: 0, y: y + 4 }, lane.length > 17 ? `${lane.slice(0, 16)}…` : lane));
  });
  for (const each of answers) {
    const place = lanes.indexOf(each.query);
    if (place < 0) continue;
    const y = place * row + 4, height = row - 8;
    const bars = [element("rect", { x: x(each.end) - 1.5, y, width: 3, height })];
    if (each.start < each.end) bars.unshift(element("rect", { class: "span", x: x(each.start), y, width: x(each.end) - x(each.start), height }));
    for (const bar of bars) {
      bar.append(element("title", {}, `${each.number} ${each.query}`));
      bar.addEventListener("click", () => onChoose(each.number));
    }
    svg.append(...bars);
  }
  for (const [part, anchor] of [[0, "start"], [0.5, "middle"], [1, "end"]])
    svg.append(element("text", { x: left + part * (width - left - 10), y: height - 4, "text-anchor": anchor }, clockTime(first + part * span, span)));
  box.replaceChildren(svg);
}
