// What is this?  Things in the picture and signs of the page say what they are: under the mouse, under the keyboard's
// focus, and under a finger that stays.  What cannot be picked now says why.

import { pairsOf } from "./areas.js";
import { at } from "./dom.js";
import { isEarlier, now } from "./now.js";
import { say } from "./texts.js";

const LINGERS = 350; // milliseconds that a mouse rests on something before it is explained
const PRESSED = 500; // milliseconds after which a finger asks rather than picks
const GAP = 8;

/** What is explained now. @type {Element | null} */
let asked = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * The nearest thing that can say what it is.
 * @param {EventTarget | null} target
 * @returns {Element | null}
 */
function thingAt(target) {
  for (let one = target instanceof Element ? target : null; one && one !== document.body; one = one.parentElement) {
    if (one.matches("svg.area, section, main, aside, dialog, ul, ol")) return null;
    if (nameOf(one)) return one;
  }
  return null;
}

/**
 * What lies at a point: buttons that are grey too, and what lets clicks through to the things below it.
 * @param {number} x
 * @param {number} y
 */
function topAt(x, y) {
  const found = document.elementFromPoint(x, y);
  const area = found?.closest("svg.area");
  if (!area) return found;
  area.classList.add("asked");
  const top = document.elementFromPoint(x, y);
  area.classList.remove("asked");
  return top;
}

/** What something is called: by its drawing, or by the page. @param {Element} one */
function nameOf(one) {
  const title = one.getAttribute("title");
  if (title) {
    const words = one.getAttribute("aria-label") || one.textContent?.trim();
    const isKey = words && title.length < 8;
    one.setAttribute("data-tip", isKey ? `${words} (${title})` : title); // so that the browser does not say it again
    one.removeAttribute("title");
  }
  const drawn = one.closest("svg.area") ? one.querySelector(":scope > title")?.textContent : "";
  return one.getAttribute("data-tip") || one.getAttribute("aria-label") || drawn || (whyNot(one) && one.textContent?.trim()) || "";
}

/** Why something cannot be picked or pressed now, if it cannot. @param {Element} one */
function whyNot(one) {
  const pairs = pairsOf(one);
  const grey = one.matches(pairs.length ? "[aria-disabled=true]" : "button:disabled, button[aria-disabled=true], [data-grey]");
  if (!grey || now.state.status !== "playing") return "";
  if (isEarlier()) return say("why-earlier");
  if (!now.state.your_turn) return say("why-not-your-turn");
  if (one.matches("button")) return say("why-pick-first");
  const used = now.state.choices.some(({ picks }) => pairs.some(([key, value]) => picks[key] === value));
  return used && now.picking.steps.length ? say("why-not-with") : say("why-no-move", { prompt: now.state.prompt });
}

/** @param {string} words */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** @param {Element} one */
export function explain(one) {
  const tip = at("tip");
  tip.textContent = [capital(nameOf(one)), whyNot(one)].filter(Boolean).join(" – ");
  forget();
  asked = one;
  one.setAttribute("aria-describedby", "tip");
  tip.hidden = false;
  const box = one.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  const x = Math.min(Math.max(box.x + (box.width - width) / 2, GAP), innerWidth - width - GAP);
  const above = box.y - height - GAP;
  const y = above > GAP ? above : Math.min(box.bottom + GAP, innerHeight - height - GAP);
  tip.style.translate = `${Math.round(x)}px ${Math.round(y)}px`;
}

/** Explain nothing any more. */
function forget() {
  clearTimeout(timer);
  at("tip").hidden = true;
  asked?.removeAttribute("aria-describedby");
  asked = null;
}

/**
 * Explain something after a while, unless something else comes first; a state that came meanwhile may have drawn it anew.
 * @param {() => EventTarget | null} find
 * @param {number} after
 */
function explainSoon(find, after) {
  const one = thingAt(find());
  if (one === asked && one) return;
  forget();
  if (!one) return;
  timer = setTimeout(() => {
    const still = one.isConnected ? one : thingAt(find());
    if (still) explain(still);
  }, after);
}

/** Where a mouse rests that has not pressed anything there. @type {{x: number, y: number} | null} */
let rests = null;

/** What moves on the page is not what was asked for: look again at what lies under the mouse. */
function lookAgain() {
  forget();
  const point = rests;
  if (point) explainSoon(() => topAt(point.x, point.y), LINGERS);
}

/** Whether a finger has asked: what comes up then is no pick. */
let pressed = false;

export function listenToTips() {
  document.addEventListener("pointermove", ({ pointerType, clientX, clientY }) => {
    if (pointerType !== "mouse") return;
    rests = { x: clientX, y: clientY };
    const one = topAt(clientX, clientY);
    if (one !== last) explainSoon(() => topAt(clientX, clientY), LINGERS);
    last = one;
  });
  document.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
    forget();
    pressed = false;
    rests = null;
    if (pointerType !== "mouse") explainSoon(() => topAt(clientX, clientY), PRESSED);
  });
  document.addEventListener("pointerup", () => {
    pressed = asked !== null;
    if (!asked) clearTimeout(timer);
  });
  document.addEventListener("pointercancel", forget);
  document.addEventListener("click", (event) => {
    if (!pressed) return forget();
    pressed = false;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener("focusin", ({ target }) => {
    if (now.byKeyboard) explainSoon(() => target, 0);
  });
  document.addEventListener("focusout", ({ target }) => {
    if (asked && asked === thingAt(target)) forget();
  });
  document.addEventListener("scroll", lookAgain, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || at("tip").hidden) return;
    forget();
    event.stopPropagation();
  }, true);
}

/** What the mouse was over last. @type {Element | null} */
let last = null;
