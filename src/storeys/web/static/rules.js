// The rules in a drawer beside the board: searchable, and opened at the place that matters.

import { at, make } from "./dom.js";
import { now } from "./now.js";
import { theme } from "./shell.js";
import { say } from "./texts.js";
import { answerTo } from "./version.js";

const RULE = /\b([A-Z]+-[A-Z]?\d+)\b/;

/** Of which theme and table the rules are there already. */
let shown = "";

/** Open the rules: a section by its name, a rule by its id, or where the match is. @param {string} [place] */
export async function openRules(place = `help-${now.state.help}`) {
  const drawer = /** @type {HTMLDialogElement} */ (at("drawer"));
  if (!drawer.open) drawer.show();
  await fetchRules();
  search("");
  goTo(place);
}

async function fetchRules() {
  const { game, table } = now.state;
  const address = `/help/${encodeURIComponent(game)}?theme=${theme()}&table=${encodeURIComponent(table)}`;
  if (shown === address) return;
  try {
    const answer = await answerTo(address);
    if (!answer.ok) throw new Error(answer.statusText);
    at("drawer-body").innerHTML = await answer.text();
    shown = address;
  } catch {
    at("drawer-none").textContent = say("no-connection");
  }
}

/** @param {string} place */
function goTo(place) {
  const found = document.getElementById(place);
  const section = found?.closest("section") ?? found;
  for (const one of document.querySelectorAll("#drawer .here")) one.classList.remove("here");
  section?.classList.add("here");
  found?.classList.add("here");
  section?.scrollIntoView({ block: "start" });
  /** @type {HTMLElement | null} */ (section)?.focus({ preventScroll: true });
}

/** Leave what mentions some words, and say so if nothing does. @param {string} words */
function search(words) {
  const field = /** @type {HTMLInputElement} */ (at("drawer-search"));
  if (field.value !== words) field.value = words;
  const wanted = words.trim().toLocaleLowerCase();
  const sections = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#drawer-body > *"));
  for (const one of sections) one.hidden = !(one.textContent ?? "").toLocaleLowerCase().includes(wanted);
  at("drawer-none").textContent = [...sections].every((one) => one.hidden) ? say("not-in-rules") : "";
}

/**
 * Words in which every id of a rule leads to it.
 * @param {string} words
 * @returns {(string | HTMLElement)[]}
 */
export function withRules(words) {
  return words.split(RULE).map((part, nth) => (nth % 2 ? ruleLink(part) : part));
}

/** A rule's id, which opens the rules there. @param {string} rule */
export const ruleLink = (rule) =>
  make("button", { type: "button", class: "link rule-link", "data-rule": rule, "aria-label": say("open-rule", { rule }) }, rule);

export function listenToRules() {
  const drawer = /** @type {HTMLDialogElement} */ (at("drawer"));
  at("goal").addEventListener("click", () => openRules("help-goal"));
  at("drawer-search").addEventListener("input", (event) => search(/** @type {HTMLInputElement} */ (event.target).value));
  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    drawer.close();
    at("goal").focus();
  });
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest?.(".rule-link");
    if (!link) return;
    event.preventDefault();
    /** @type {HTMLDialogElement | null} */ (link.closest("dialog"))?.close();
    openRules(`rule-${link.getAttribute("data-rule")}`);
  });
}
