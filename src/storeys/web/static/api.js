// Talking to the server: questions for the state, and posts that may safely be sent again.

import { answerTo } from "./version.js";

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

/** The server said no; its sentence is the message. */
export class Refused extends Error {
  /**
   * @param {string} sentence
   * @param {number} status
   */
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
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
 * A state and the tag that it is known by; no state if it is still the one of the tag that is named.
 * @param {string} table
 * @param {StateQuery} query
 * @param {AbortSignal} [signal]
 * @param {string} [tag]
 * @returns {Promise<{state: State | null, tag: string}>}
 */
export async function askState(table, query, signal, tag = "") {
  const response = await answerTo(`/api/tables/${encodeURIComponent(table)}?${addressed(query)}`, {
    headers: { Accept: "application/json", ...(tag && { "If-None-Match": tag }) },
    cache: "no-store",
    signal,
  });
  const found = response.headers.get("ETag") ?? "";
  if (response.status === 304) return { state: null, tag: found };
  return { state: await answerOf(response), tag: found };
}

/** @returns {Promise<Compiled>} */
export async function askCompiled() {
  return answerOf(await answerTo("/api/compiled", { headers: { Accept: "application/json" }, cache: "no-store" }));
}

/** How often something is posted that the server cannot do at the moment. */
const TRIES_WHILE_BUSY = 5;

/** Whether the server cannot answer at the moment, rather than says no. @param {number} status */
export const isBusy = (status) => [429, 502, 503, 504].includes(status);

/**
 * Post JSON; a lost connection is tried again, since the same id counts once.
 * @param {string} url
 * @param {unknown} body
 * @param {number} [tries]
 * @returns {Promise<any>}
 */
export async function post(url, body, tries = 5) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  for (let nth = 1; ; nth += 1) {
    /** @type {Response | null} */
    let response = null;
    try {
      response = await answerTo(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: text,
      });
    } catch (problem) {
      if (nth >= tries) throw problem;
    }
    if (response && !mayTryAgain(response, nth, tries)) return answerOf(response);
    const asked = 1000 * Number(response?.headers.get("Retry-After") ?? 0);
    await new Promise((done) => setTimeout(done, Math.max(asked || 0, Math.min(300 * 2 ** nth, 5000))));
  }
}

/**
 * A server that says when to try again has done nothing; of any other silence that is not known.
 * @param {Response} response
 * @param {number} nth
 * @param {number} tries
 */
function mayTryAgain(response, nth, tries) {
  const surely = [429, 503].includes(response.status) && response.headers.has("Retry-After");
  return isBusy(response.status) && nth < (surely ? TRIES_WHILE_BUSY : tries);
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
