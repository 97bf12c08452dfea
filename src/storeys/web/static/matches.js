// One's matches in a list: dates as they are said here, and kept up to date while the page is open.

import { watch } from "./live.js";
import { answerTo } from "./version.js";

const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
const hour = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" });
const title = document.title;
/** How many tables one stream can tell of. */
const MOST_WATCHED = 50;

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

let asked = 0;

/** Ask for the page again and take the list from it. */
async function renew() {
  const mine = ++asked;
  try {
    const answer = await answerTo(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
    const before = list();
    // What somebody has opened or is at stays as it is until the next time.
    const busy = before?.querySelector("details[open], :focus");
    if (mine !== asked || !answer.ok || !fresh || !before || busy) return;
    before.replaceWith(document.adoptNode(fresh));
    show();
  } catch {
    // The stream tells when the server is there again.
  }
}

show();
const tables = [...document.querySelectorAll("[data-live] .mine-card a")]
  .map((link) => link.getAttribute("href")?.split("/").pop() ?? "")
  .slice(0, MOST_WATCHED);
if (tables.length) watch(tables, renew, renew);
