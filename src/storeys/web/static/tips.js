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
  const grey = one.matches(pairs.length ? "[aria-disabled=true]" : "button:disabled, [data-grey]");
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
function explain(one) {
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

/** Explain something after a while, unless something else comes first. @param {EventTarget | null} target @param {number} after */
function explainSoon(target, after) {
  const one = thingAt(target);
  if (one === asked && one) return;
  forget();
  if (one) timer = setTimeout(() => one.isConnected && explain(one), after);
}

/** Whether a finger has asked: what comes up then is no pick. */
let pressed = false;

export function listenToTips() {
  document.addEventListener("pointermove", ({ pointerType, clientX, clientY }) => {
    if (pointerType !== "mouse") return;
    const one = topAt(clientX, clientY);
    if (one !== last) explainSoon(one, LINGERS);
    last = one;
  });
  document.addEventListener("pointerdown", ({ pointerType, clientX, clientY }) => {
    forget();
    pressed = false;
    if (pointerType !== "mouse") explainSoon(topAt(clientX, clientY), PRESSED);
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
    if (now.byKeyboard) explainSoon(target, 0);
  });
  document.addEventListener("focusout", forget);
  document.addEventListener("scroll", forget, true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || at("tip").hidden) return;
    forget();
    event.stopPropagation();
  }, true);
}

/** What the mouse was over last. @type {Element | null} */
let last = null;
