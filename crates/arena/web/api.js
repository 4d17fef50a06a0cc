/* The HTTP interface of the arena. Every failure becomes an `ApiError` with a message for people. */

export class ApiError extends Error {
  constructor(status, body) {
    super(capital(body?.error ?? sentence(status)));
    this.name = "ApiError";
    this.status = status;
    this.code = body?.code ?? null;
    this.diagnostics = body?.diagnostics ?? null;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function sentence(status) {
  if (status === 0) return "The arena does not answer. Is the program still running?";
  if (status === 401 || status === 403) return "The arena does not let this browser in. Open it with the whole address that the program printed.";
  if (status === 404) return "There is no such thing here. It may have been finished and forgotten.";
  if (status === 413) return "That is more text than the arena takes.";
  if (status === 429 || status === 503) return "The arena is busy. Please try again in a moment.";
  return `The arena could not do that (status ${status}).`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function call(path, options) {
  let answer;
  let text;
  try {
    answer = await fetch(path, options);
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error; // the page was left
    throw new ApiError(0, null);
  }
  const type = answer.headers.get("content-type") ?? "";
  const body = type.includes("json") ? parsed(text) : text;
  if (!answer.ok) throw new ApiError(answer.status, typeof body === "object" ? body : null);
  if (body === null) throw new ApiError(answer.status, { error: "The arena sent an invalid answer." });
  return body;
}

/** One part of a path: `sheet:7` and anything else that a name may hold. */
const part = encodeURIComponent;

function query(values) {
  const entries = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

const get = (path, signal) => call(path, { signal, headers: { accept: "application/json, image/svg+xml" } });
const post = (path, body, signal) =>
  call(path, { method: "POST", signal, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export const games = (signal) => get("/api/games", signal);
export const game = (name, signal) => get(`/api/games/${part(name)}`, signal);
export const picture = (name, signal) => get(`/api/games/${part(name)}/picture.svg`, signal);
export const position = (name, moves, signal) => post(`/api/games/${part(name)}/position`, { moves }, signal);
export const rules = (name, signal) => get(`/api/games/${part(name)}/rules`, signal);
export const network = (name, options, signal) => get(`/api/games/${part(name)}/network${query(options)}`, signal);
export const engine = (name, signal) => get(`/api/games/${part(name)}/engine`, signal);

export const check = (text, signal) => post("/api/check", { text }, signal);
export const addSheet = (text, title) => post("/api/sheets", title ? { text, title } : { text });
export const players = (signal) => get("/api/players", signal);

export const matches = (signal) => get("/api/matches", signal);
export const startMatch = (setup) => post("/api/matches", setup);
export const snapshot = (id, seat, signal) => get(`/api/matches/${part(id)}${query({ seat })}`, signal);
export const stepOf = (id, step, seat, signal) => get(`/api/matches/${part(id)}/steps/${step}${query({ seat })}`, signal);
export const eventsPath = (id) => `/api/matches/${part(id)}/events`;
export const playMove = (id, seat, step, move) => post(`/api/matches/${part(id)}/moves`, { seat, step, move });
export const undo = (id, seat) => post(`/api/matches/${part(id)}/undo`, { seat });
export const resign = (id, seat) => post(`/api/matches/${part(id)}/resign`, { seat });
export const hint = (id, seat, seconds, signal) => get(`/api/matches/${part(id)}/hint${query({ seat, seconds })}`, signal);
export const evaluation = (id, signal) => get(`/api/matches/${part(id)}/evaluation`, signal);

export const archive = (limit, after, signal) => get(`/api/archive/matches${query({ limit, after })}`, signal);
export const archived = (id, signal) => get(`/api/archive/matches/${part(id)}`, signal);
export const archivedStep = (id, step, signal) => get(`/api/archive/matches/${part(id)}/steps/${step}`, signal);
export const ratings = (signal) => get("/api/archive/ratings", signal);
