// The home page: one click, and a match begins.

import { post, Refused } from "./api.js";
import { kept } from "./dom.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

for (const button of document.querySelectorAll("button[data-play]")) {
  button.addEventListener("click", () => play(/** @type {HTMLButtonElement} */ (button)));
}

/** @param {HTMLButtonElement} button */
async function play(button) {
  const game = button.dataset.play ?? "";
  const players = Number(button.dataset.players ?? 2);
  const me = { kind: "me", ...(kept("name") ? { name: kept("name") } : {}), ...(kept("face") ? { face: kept("face") } : {}) };
  const bots = Array.from({ length: players - 1 }, () => ({ kind: "bot", bot: button.dataset.bot ?? "" }));
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  try {
    const made = await post("/api/tables", { game, players, options: {}, seats: [me, ...bots] }, 1);
    location.assign(made.url ?? `/t/${made.table}`);
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
}

// A page that comes back from the browser's cache must not keep its buttons shut.
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[data-play]")) {
    /** @type {HTMLButtonElement} */ (button).disabled = false;
    button.removeAttribute("aria-busy");
  }
});
