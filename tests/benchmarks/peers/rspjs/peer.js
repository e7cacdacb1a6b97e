// rsp-js over one stream: node peer.js EVENTS QUERY VARIABLES.
//
// Each line of standard input asks for one run over all events, and gets one line of JSON: "check" with the
// checksum of the answers, else without. Its operators are joined as its RSPEngine does, but for the start of the
// windows, which that moves on with each row. A window is evaluated before the next element comes. Seconds are the
// processor's; the time to make terms of texts does not count.

"use strict";

const fs = require("fs");
const readline = require("readline");
const { crc32 } = require("zlib");
const { DataFactory } = require("n3");
const { CSPARQLWindow, Logger, LogLevel, R2ROperator, ReportStrategy, RSPQLParser, Tick } = rspJs();

const INTEGER = DataFactory.namedNode("http://www.w3.org/2001/XMLSchema#integer");

/** The package; what it tells of each element is not wanted. */
function rspJs() {
  for (const name of ["debug", "info", "log"]) {
    console[name] = () => {};
  }
  return { ...require("rsp-js"), ...require("rsp-js/dist/util/Logger") };
}

/** Lines of time, subject, predicate and object, with tabs between them: milliseconds and quads. */
function readEvents(path, graph) {
  const terms = new Map();
  const term = (text) => {
    if (!terms.has(text)) {
      const made = /^\d/.test(text) ? DataFactory.literal(text, INTEGER) : DataFactory.namedNode(text);
      terms.set(text, made);
    }
    return terms.get(text);
  };
  const lines = fs.readFileSync(path, "utf8").split("\n").filter((line) => line);
  return lines.map((line) => {
    const [time, ...spo] = line.split("\t");
    return { time: Number(time) / 1000, quad: DataFactory.quad(...spo.map(term), graph) };
  });
}

/** All rows of a window's content at its close, handed to `row`. */
async function evaluate(r2r, content, slide, row) {
  const close = (Math.floor(content.last_time_changed() / slide) + 1) * slide;
  const bindings = await r2r.execute(content);
  await new Promise((resolve, reject) => {
    bindings.on("data", (found) => row(close * 1000, found));
    bindings.on("end", resolve);
    bindings.on("error", reject);
  });
}

async function run(events, parsed, variables, checking) {
  const [{ window_name: name, width, slide }] = parsed.s2r;
  const logger = Logger.getLogger(LogLevel.STATS, [], "CONSOLE");
  const window = new CSPARQLWindow(
    name, width, slide, ReportStrategy.OnWindowClose, Tick.TimeDriven, 0, logger);
  const r2r = new R2ROperator(parsed.sparql);
  let answers = 0;
  let sum = 0n;
  let seen = 0;
  let evaluated = null;
  const row = (time, found) => {
    answers += 1;
    const values = variables.map((variable) => found.get(variable).value);
    seen += values.reduce((length, value) => length + value.length, 0);
    if (checking) {
      sum += BigInt(crc32([time, time, ...values].join(",")));
    }
  };
  window.subscribe("RStream", (content) => {
    evaluated = evaluate(r2r, content, slide, row);
  });
  const began = process.cpuUsage();
  for (const { time, quad } of events) {
    window.add(quad, time);
    if (evaluated !== null) {
      await evaluated;
      evaluated = null;
    }
  }
  const { user, system } = process.cpuUsage(began);
  const checksum = BigInt.asUintN(64, sum).toString();
  return { answers, checksum, seconds: (user + system) / 1e6, runs: 1, seen };
}

async function main([eventsPath, queryPath, variables]) {
  const parsed = new RSPQLParser().parse(fs.readFileSync(queryPath, "utf8"));
  const events = readEvents(eventsPath, DataFactory.namedNode(parsed.s2r[0].window_name));
  for await (const order of readline.createInterface({ input: process.stdin })) {
    const found = await run(events, parsed, variables.split(","), order === "check");
    process.stdout.write(`${JSON.stringify(found)}\n`);
  }
}

main(process.argv.slice(2));
