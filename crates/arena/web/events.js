/*
 * The event stream of a match. The browser resumes a broken stream by itself from the last event
 * id. When it gives up, a new stream is opened here with exponential backoff.
 */

import { eventsPath } from "./api.js";

const KINDS = ["step", "thinking", "clock", "error", "end"];
const LONGEST_WAIT = 15_000;

/**
 * Calls `listener(kind, data)` for every event, and `state("open" | "waiting")` when the connection
 * comes and goes. Ends with `signal`.
 */
export function follow(match, signal, listener, state = () => {}) {
  let source = null;
  let wait = 500;
  let timer = 0;
  let seen = null;
  let ended = false;

  const receive = (kind) => (event) => {
    if (!(event instanceof MessageEvent)) return; // an `error` of the connection, not of the match
    if (event.lastEventId !== "") {
      const number = Number(event.lastEventId);
      // A new stream begins at the start; events that were received before are skipped.
      if (seen !== null && number <= seen) return;
      if (Number.isFinite(number)) seen = number;
    }
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return;
    }
    if (kind === "end") ended = true;
    listener(kind, data);
  };

  const open = () => {
    source = new EventSource(eventsPath(match));
    source.addEventListener("open", () => {
      wait = 500;
      state("open");
    });
    source.onerror = (event) => {
      if (event instanceof MessageEvent) return;
      if (ended) {
        // The match is over; reconnecting would only replay it.
        source.close();
        return;
      }
      state("waiting");
      if (source.readyState === EventSource.CLOSED) {
        timer = setTimeout(open, wait);
        wait = Math.min(wait * 2, LONGEST_WAIT);
      }
    };
    for (const kind of KINDS) source.addEventListener(kind, receive(kind));
  };

  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    source?.close();
  });
  open();
}

/** Coalesces calls of `task`: calls during a run cause one more run after it. */
export function newest(task) {
  let running = false;
  let again = false;
  const run = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      do {
        again = false;
        await task();
      } while (again);
    } finally {
      running = false;
    }
  };
  return run;
}
