// The next step in words, one warning before a turn ends too early, and moves without alternatives.

import { send } from "./asking.js";
import { closeDialog, openDialog } from "./dialogs.js";
import { at, keep, kept } from "./dom.js";
import { follows } from "./lesson.js";
import { active, curtained, elements, isOwn, now } from "./now.js";
import { pairsOf } from "./areas.js";
import { toast } from "./shell.js";
import { say } from "./texts.js";

/** @typedef {import("./types.js").Choice} Choice */

// --- what to pick next

/**
 * What can be picked next, and how many more.
 * @param {boolean} some whether something is picked already
 */
export function stepWords(some) {
  const keys = openKeys();
  const more = moreToPick(keys);
  if (more) return say(some ? "step-next" : "step-first", { things: more });
  const things = new Set(now.state.steps.filter(({ key }) => keys.has(key)).map(({ words }) => words));
  if (!things.size) return say(some ? "go-on" : "pick-lit");
  const [last, ...others] = [...things].reverse();
  const list = others.length ? `${others.reverse().join(", ")} ${say("or")} ${last}` : last;
  return say(some ? "step-next" : "step-first", { things: list });
}

/** The keys by which what is lit would narrow the choices. */
function openKeys() {
  const left = now.picking.left();
  const open = new Set(left.flatMap(({ picks }) => Object.keys(picks)));
  const lit = elements().filter(([one, view]) => isOwn(view) && one.matches(".can"));
  return new Set(lit.flatMap(([one]) => pairsOf(one).map(([key]) => key)).filter((key) => open.has(key)));
}

/**
 * How many more things are to be picked, where picks are numbers of things.
 * @param {Set<string>} keys
 */
function moreToPick(keys) {
  const { count } = now.state;
  if (!count || !count.keys.some((key) => keys.has(key))) return "";
  const picked = now.picking.steps.flat().filter(([key]) => count.keys.includes(key));
  const sum = picked.reduce((all, [, value]) => all + Number(value), 0);
  return count.words[count.words.length - 1 - sum] ?? "";
}

// --- before a turn ends too early

const UNWARNED = "unwarned";

/**
 * Whether a choice is meant: one that ends the turn is asked about once while another would bring points.
 * @param {Choice} choice
 * @returns {Promise<boolean>}
 */
export function isMeant(choice) {
  const left = choice.ends && !follows() ? now.picking.choices.filter((one) => !one.ends && one.note?.startsWith("+")) : [];
  if (!left.length || kept(UNWARNED)) return Promise.resolve(true);
  const most = Math.max(...left.map(({ note }) => Number(note)));
  const best = left.find(({ note }) => Number(note) === most) ?? left[0];
  at("undone-words").textContent = say("undone", { points: best.note ?? "" });
  const dialog = /** @type {HTMLDialogElement} */ (at("undone"));
  openDialog("undone");
  return new Promise((resolve) => {
    at("undone-yes").onclick = () => {
      if (/** @type {HTMLInputElement} */ (at("undone-never")).checked) keep(UNWARNED, "1");
      resolve(true);
      closeDialog("undone");
    };
    dialog.addEventListener("close", () => resolve(false), { once: true });
  });
}

// --- moves without alternatives

const BY_ITSELF = "by-itself";

/** Whether a move without alternatives makes itself, as this browser has chosen. */
export const movesMakeThemselves = () => kept(BY_ITSELF) === "1";

export function changeByItself() {
  keep(BY_ITSELF, movesMakeThemselves() ? "" : "1");
  makeOnlyMove();
}

/** Make the move that has no alternative, if that is wanted. */
export async function makeOnlyMove() {
  const [only, ...others] = active() ? now.picking.choices : [];
  if (!only || others.length || follows() || !movesMakeThemselves()) return;
  if (now.busy || now.scene || now.paused || curtained() || now.state.to_move === null) return;
  const answer = await send({ kind: "move", seat: now.state.to_move, move: only.move });
  if (answer) toast(say("made-itself", { label: only.label }), "good");
}
