// Talking to the server: questions for the state, and posts that may safely be sent again.

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Question} Question */

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
 * @param {string} table
 * @param {Question} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<State>}
 */
export async function askState(table, question, signal) {
  const query = new URLSearchParams({
    view: question.view,
    turn: String(question.turn),
    theme: question.theme,
    lang: question.lang,
  });
  if (question.seat !== null && question.seat !== undefined) query.set("seat", String(question.seat));
  if (question.ply !== null && question.ply !== undefined) query.set("ply", String(question.ply));
  if (question.part) query.set("part", question.part);
  if (question.known?.length) query.set("known", question.known.join(","));
  const response = await fetch(`/api/tables/${encodeURIComponent(table)}?${query}`, {
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal,
  });
  return /** @type {Promise<State>} */ (answerOf(response));
}

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
    /** @type {Response} */
    let response;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: text,
      });
      if (nth < tries && [502, 503, 504].includes(response.status)) throw new TypeError("again");
    } catch (problem) {
      if (nth >= tries) throw problem;
      await new Promise((done) => setTimeout(done, Math.min(300 * 2 ** nth, 5000)));
      continue;
    }
    return answerOf(response);
  }
}

/**
 * @param {string} table
 * @param {{seq: number, kind: string, seat: number | null, move?: string, name?: string, bot?: string}} event
 * @returns {Promise<{seq?: number, table?: string}>}
 */
export function postEvent(table, event) {
  return post(`/api/tables/${encodeURIComponent(table)}/events`, { ...event, id: ownId() });
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
