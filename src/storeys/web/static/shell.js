// What every page has: the theme, and sentences that pop up.

import { at, keep, make } from "./dom.js";
import { startWorker } from "./version.js";

/** @typedef {import("./types.js").Theme} Theme */

/** @returns {Theme} */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || chosen === "colour-blind" ? chosen : "light";
}

/** @type {((theme: Theme) => void)[]} */
const listeners = [];

/** @param {(theme: Theme) => void} listener */
export function onTheme(listener) {
  listeners.push(listener);
}

/** @param {Theme} chosen */
function choose(chosen) {
  document.documentElement.dataset.theme = chosen;
  keep("theme", chosen);
  document.cookie = `theme=${chosen};path=/;max-age=31536000;samesite=lax`;
  showTheme();
  for (const listener of listeners) listener(chosen);
}

function showTheme() {
  for (const button of document.querySelectorAll("[data-choose-theme]")) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-choose-theme") === theme()));
  }
}

for (const button of document.querySelectorAll("[data-choose-theme]")) {
  button.addEventListener("click", () => {
    choose(/** @type {Theme} */ (button.getAttribute("data-choose-theme")));
  });
}
showTheme();
startWorker();

/**
 * A sentence that pops up; what went wrong is spoken at once.
 * @param {string | (string | Node)[]} sentence
 * @param {"bad" | "good"} [mood]
 */
export function toast(sentence, mood = "bad") {
  const bread = make("p", { class: `toast ${mood}` }, ...(typeof sentence === "string" ? [sentence] : sentence));
  at(mood === "bad" ? "alerts" : "notes").append(bread);
  setTimeout(() => bread.classList.add("going"), 5600);
  setTimeout(() => bread.remove(), 6000);
}

/** Whether the address of this page means something on this machine alone. */
export const isLocal = () => /^(localhost|.*\.localhost|127\..*|\[?::1\]?)$/.test(location.hostname);

/**
 * Put the text of a field into the clipboard; false if the browser does not let us.
 * @param {HTMLInputElement} field
 */
export async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Over plain http there is no such clipboard, only the older command.
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
