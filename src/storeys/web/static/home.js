// The home page: one click, and a match begins.

import { post, Refused } from "./api.js";
import { at, keep, kept } from "./dom.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** The bot of each level. @type {Record<string, string>} */
const LEVELS = JSON.parse(at("levels").textContent ?? "{}");
const LEVEL = "level";
const TAKEN = "lessons-taken";
const BEGUN = "begun";
const FEW = 2; // seats of a match that is short

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-play]"))) {
  button.addEventListener("click", async () => {
    const level = levelNow() || (await askLevel());
    if (level) begin(button, tableOf(button, level));
  });
}
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-lesson]"))) {
  button.addEventListener("click", () => begin(button, lessonOf(button.dataset.lesson ?? "")));
}
at("level-change").addEventListener("click", askLevel);
showLevel();

// --- how well somebody knows the games

/** The level that was chosen in this browser, if any. */
function levelNow() {
  const level = kept(LEVEL) ?? "";
  return level in LEVELS ? level : "";
}

function showLevel() {
  const level = levelNow();
  const line = at("level-now");
  line.hidden = !level;
  if (level && line.firstElementChild) line.firstElementChild.textContent = say("level-now", { level: say(`level-${level}`) });
}

/** Ask once, and remember the answer. @returns {Promise<string>} */
function askLevel() {
  const dialog = /** @type {HTMLDialogElement} */ (at("level"));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      if (dialog.returnValue) keep(LEVEL, dialog.returnValue);
      showLevel();
      resolve(dialog.returnValue);
    };
    dialog.addEventListener("close", closed, { once: true });
  });
}

const me = () => ({ kind: "me", ...(kept("name") ? { name: kept("name") } : {}), ...(kept("face") ? { face: kept("face") } : {}) });

/** The first steps of a game. @param {string} game */
function lessonOf(game) {
  keep(TAKEN, [...new Set([...(kept(TAKEN) ?? "").split(" "), game])].join(" ").trim());
  return { game, seats: [me()], lesson: true };
}

/** Whether somebody has played here: has begun a match in this browser, or sits at one. */
const hasBegun = () => kept(BEGUN) === "1" || document.querySelector(".mine-card") !== null;

/**
 * The table that somebody of a level begins: who is new is led through each game and has short matches; the first
 * match ever is short for everybody.
 * @param {HTMLButtonElement} button
 * @param {string} level
 */
function tableOf({ dataset }, level) {
  const game = dataset.play ?? "";
  const isNew = level === "first";
  if (isNew && "hasLesson" in dataset && !(kept(TAKEN) ?? "").split(" ").includes(game)) return lessonOf(game);
  const fewest = Math.max(FEW, Number(dataset.fewest ?? FEW));
  const players = isNew || !hasBegun() ? fewest : Number(dataset.players ?? fewest);
  const bots = Array.from({ length: players - 1 }, () => ({ kind: "bot", bot: LEVELS[level] }));
  return { game, players, options: {}, seats: [me(), ...bots] };
}

// --- beginning

/**
 * Set a table up and go there.
 * @param {HTMLButtonElement} button that was clicked
 * @param {object} table
 */
async function begin(button, table) {
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  try {
    const made = await post("/api/tables", table, 1);
    keep(BEGUN, "1");
    location.assign(made.url ?? `/t/${made.table}`);
  } catch (problem) {
    toast(problem instanceof Refused ? problem.message : say("no-connection"));
    button.disabled = false;
    button.removeAttribute("aria-busy");
  }
}

// A page that comes back from the browser's cache must not keep its buttons shut.
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[data-play], button[data-lesson]")) {
    /** @type {HTMLButtonElement} */ (button).disabled = false;
    button.removeAttribute("aria-busy");
  }
});
