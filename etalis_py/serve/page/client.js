// Requests to the server: the token, errors as they are told, and answers as they come.

let token = sessionStorage.getItem("token");
const door = document.getElementById("door");

export class Problem extends Error {
  constructor(members) {
    const place = members.place?.line ? ` line ${members.place.line}, column ${members.place.column}:` : "";
    super(`${members.code}${place} ${members.detail}${members.hint ? `\nhint: ${members.hint}` : ""}`);
    this.members = members;
  }
}

async function letIn() {
  door.showModal();
  await new Promise((done) => door.addEventListener("close", done, { once: true }));
  token = document.getElementById("token").value;
  sessionStorage.setItem("token", token);
}

export async function request(path, options = {}) {
  for (;;) {
    const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(path, { ...options, headers });
    if (response.status === 401) {
      await letIn();
      continue;
    }
    if (!response.ok) {
      const members = await response.json().catch(() => ({ code: response.status, detail: response.statusText }));
      throw new Problem(members);
    }
    return response;
  }
}

export const json = async (path, options) => (await request(path, options)).json();
export const text = async (path, options) => (await request(path, options)).text();

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Server-Sent Events by fetch, which can carry a token; after a lost connection it goes on behind the last answer.
export async function follow(path, after, { onState, onAnswer, onLost, signal }) {
  let wait = 500;
  while (!signal.aborted) {
    try {
      onState("connecting");
      const url = `${path}${path.includes("?") ? "&" : "?"}after=${after}`;
      const response = await request(url, { headers: { Accept: "text/event-stream" }, signal });
      onState("open");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        wait = 500;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const fields = Object.fromEntries(block.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1).trimStart()]));
          if (fields.event === "lost") onLost(Number(fields.data));
          else if (fields.id && fields.data) onAnswer((after = Number(fields.id)), JSON.parse(fields.data));
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.members.status !== 503) throw error;
    }
    onState("lost");
    await pause(wait);
    wait = Math.min(2 * wait, 10000);
  }
}
