// Talking to the server: questions for the state, and posts that may safely be sent again.

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Posted} Posted */
/** @typedef {import("./types.js").TableEvent} TableEvent */
/** @typedef {import("./types.js").Compiled} Compiled */
/** @typedef {Omit<import("./types.js").GetStateQuery, "known"> & {known?: string[]}} StateQuery */
/**
 * An event without what the page adds to it; each kind with its own entries.
 * @template Event
 * @typedef {Event extends TableEvent ? Omit<Event, "id" | "seq"> : never} Draft
 */
/** @typedef {Draft<TableEvent>} EventDraft */

/** Statuses after which the same may be asked for again: too much at once, or a server that is busy. */
const AGAIN = [429, 502, 503, 504];
/** For how many seconds a page waits at most before it asks again. */
const PATIENCE = 30;

/** The server said no; its sentence is the message. */
export class Refused extends Error {
  /**
   * @param {string} sentence
   * @param {number} status
   */
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
    /** Whether it only said not now. */
    this.again = AGAIN.includes(status);
  }
}

/** A name that no other post has. */
export function ownId() {
  if (typeof crypto !== "undefined" && "randomUUID" in crypto) return crypto.randomUUID();
  const bytes = new Uint8Array(16);
  (/** @type {Crypto} */ (globalThis.crypto)).getRandomValues(bytes);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What is asked for as it stands in an address; what is null or empty is left out.
 * @param {StateQuery} query
 */
function addressed(query) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
}

/**
 * @param {string} table
 * @param {StateQuery} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<State>}
 */
export async function askState(table, query, signal) {
  const response = await fetch(`/api/tables/${encodeURIComponent(table)}?${addressed(query)}`, {
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal,
  });
  return /** @type {Promise<State>} */ (answerOf(response));
}

/** @returns {Promise<Compiled>} */
export async function askCompiled() {
  return answerOf(await fetch("/api/compiled", { headers: { Accept: "application/json" }, cache: "no-store" }));
}

/**
 * Post JSON; after a lost connection or a “not now” it is tried again, since the same id counts once.
 * @param {string} url
 * @param {unknown} body
 * @param {number} [tries]
 * @returns {Promise<any>}
 */
export async function post(url, body, tries = 5) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  for (let nth = 1; ; nth += 1) {
    let pause = Math.min(300 * 2 ** nth, 5000);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: text,
      });
      if (nth >= tries || !AGAIN.includes(response.status)) return await answerOf(response);
      pause = Math.max(pause, 1000 * Math.min(Number(response.headers.get("Retry-After")) || 0, PATIENCE));
    } catch (problem) {
      if (nth >= tries || problem instanceof Refused) throw problem;
    }
    await new Promise((done) => setTimeout(done, pause));
  }
}

/**
 * Post an event; the answer carries the state since, as it is asked for.
 * @param {string} table
 * @param {EventDraft & {seq: number}} event
 * @param {StateQuery} query
 * @returns {Promise<Posted>}
 */
export function postEvent(table, event, query) {
  const address = `/api/tables/${encodeURIComponent(table)}/events?${addressed(query)}`;
  return post(address, { ...event, id: ownId() });
}

/**
 * The answer as JSON, or `Refused`.
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function answerOf(response) {
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const sentence = typeof answer.error === "string" ? answer.error : `${response.status} ${response.statusText}`;
    throw new Refused(sentence, response.status);
  }
  return answer;
}
