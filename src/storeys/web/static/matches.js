// One's matches in a list: dates as they are said here, and kept up to date while the page is open.

import { isBusy } from "./api.js";
import { at } from "./dom.js";
import { watch } from "./live.js";
import { say } from "./texts.js";
import { answerTo } from "./version.js";

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
const hour = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" });
const title = document.title;
/** How many tables one stream can tell of. */
const MOST_WATCHED = 50;
/** Milliseconds until a server that is away is asked again. */
const PAUSE = 3000;

const list = () => document.querySelector("[data-live]");

function show() {
  for (const one of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[data-when]"))) {
    const when = new Date(1000 * Number(one.dataset.when));
    one.dateTime = when.toISOString();
    const today = when.toDateString() === new Date().toDateString();
    one.textContent = (today ? hour : day).format(when);
  }
  const mine = document.querySelectorAll("[data-live] .yours").length;
  document.title = mine ? `(${mine}) ${title}` : title;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * An answer of the server.  As long as it is away the page says so, and asks again.
 * @param {string} address
 * @param {() => void} again
 */
async function answerFrom(address, again) {
  const answer = await answerTo(address, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  const isAway = !answer || isBusy(answer.status);
  const words = isAway ? say("offline") : "";
  if (at("offline").textContent !== words) at("offline").textContent = words;
  clearTimeout(timer);
  if (isAway) timer = setTimeout(again, PAUSE);
  return isAway ? null : answer;
}

let asked = 0;

/** Ask for the page again and take the list from it. */
async function renew() {
  const mine = ++asked;
  const answer = await answerFrom(location.href, renew);
  if (!answer?.ok) return;
  const text = await answer.text().catch(() => ""); // the stream tells when there is more
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-live]");
  const before = list();
  // What somebody has opened or is at stays as it is until the next time.
  const busy = before?.querySelector("details[open], :focus");
  if (mine !== asked || !fresh || !before || busy) return;
  before.replaceWith(document.adoptNode(fresh));
  show();
}

/** A page that was kept does not know whether the server is there. */
const probe = () => answerFrom("/healthz", probe);

show();
const tables = [...document.querySelectorAll("[data-live] .mine-card a")]
  .map((link) => link.getAttribute("href")?.split("/").pop() ?? "")
  .slice(0, MOST_WATCHED);
if (tables.length) watch(tables, renew, renew, renew);
else probe();
