// Requests to the server: the token, errors as they are told, and answers as they come.

let token = sessionStorage.getItem("token");
let asking = null;
const door = document.getElementById("door");

export class Problem extends Error {
  constructor(members) {
    const place = members.place?.line ? ` line ${members.place.line}, column ${members.place.column}:` : "";
    super(`${members.code}${place} ${members.detail}${members.hint ? `\nhint: ${members.hint}` : ""}`);
    this.members = members;
  }
}

// Requests that need a token at the same time ask for it once.
function letIn() {
  asking ??= new Promise((done) => {
    document.getElementById("refused").hidden = token === null;
    document.getElementById("token").value = "";
    door.showModal();
    door.addEventListener("close", () => {
      token = document.getElementById("token").value;
      sessionStorage.setItem("token", token);
      document.getElementById("leave").hidden = false;
      asking = null;
      done();
    }, { once: true });
  });
  return asking;
}
document.getElementById("leave").hidden = token === null;
export const forgetToken = () => sessionStorage.removeItem("token");
door.addEventListener("cancel", (event) => event.preventDefault());

export async function request(path, options = {}) {
  for (;;) {
    const used = token;
    const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(path, { ...options, headers });
    if (response.status === 401) {
      if (used === token) await letIn();
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
export const svg = (path, options) => text(path, { ...options, headers: { Accept: "image/svg+xml" } });

// Server-Sent Events by fetch, which can carry a token; after a lost connection it goes on behind the last answer,
// or where `resume` says. onAnswers gets pairs of a number and a line of JSON, as many as came together.
export async function follow(path, after, { onState, onAnswers, onLost, resume, signal }) {
  let wait = 500, isFirst = true;
  while (!signal.aborted) {
    try {
      onState("connecting");
      if (!isFirst) after = await resume(after);
      const response = await request(`${path}${path.includes("?") ? "&" : "?"}after=${after}`, { headers: { Accept: "text/event-stream" }, signal });
      isFirst = false;
      onState("open");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        wait = 500;
        const blocks = (rest + value).split("\n\n"), found = [];
        rest = blocks.pop();
        for (const block of blocks) {
          if (block.startsWith("id: ")) {
            const end = block.indexOf("\n");
            after = Number(block.slice(4, end));
            found.push([after, block.slice(end + 7)]);
          } else if (block.startsWith("event: lost")) onLost(Number(block.slice(block.lastIndexOf(" "))));
        }
        if (found.length) onAnswers(found);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.members.status !== 503) throw error;
    }
    isFirst = false;
    onState("lost");
    await new Promise((done) => {
      const timer = setTimeout(done, wait);
      window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
    });
    wait = Math.min(2 * wait, 10000);
  }
}
