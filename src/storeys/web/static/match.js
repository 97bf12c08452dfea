// The match page, the same for all games: it knows areas, choices and texts, and no rules.

import { bodyInPage, keepBodies, useShapes } from "./areas.js";
import { ask, askSoon, drawings, hear, heard, streamLost } from "./asking.js";
import { chooseCity, letKeysScroll, setView, showAreas, showZoom, turnSkyline, watchRoom } from "./board.js";
import { listenToDialogs } from "./dialogs.js";
import { showClock } from "./clock.js";
import { at } from "./dom.js";
import { cancel, click, confirm, refocus, showActions, showPicks, turn } from "./hand.js";
import { key } from "./keys.js";
import { guide, listenToLesson } from "./lesson.js";
import { watch } from "./live.js";
import { markLast, showLatest } from "./latest.js";
import { openMenu, rematch, takeBack } from "./menu.js";
import { move, remember } from "./motion.js";
import { isEarlier, look, now, ownSeat, wide } from "./now.js";
import { onAgain, onCount, openScore, openSheet, showScores } from "./points.js";
import { showCurtain, showPrompt, showSeats } from "./prompt.js";
import { listenToRules } from "./rules.js";
import { countAgain, countScores, listenToScene, skipScene } from "./scene.js";
import { listenToReactions, showReaction, showReactions } from "./reactions.js";
import { remind, showIcon } from "./reminding.js";
import { onTheme, theme } from "./shell.js";
import { makeOnlyMove } from "./steps.js";
import { fitPanels, showTabs } from "./tabs.js";
import { listenToTips } from "./tips.js";
import { listenToTime, showLog, showNotices, showTime, tell } from "./time.js";

function show() {
  const { state } = now;
  document.documentElement.dataset.seq = String(state.seq);
  document.body.classList.add("shown");
  useShapes(state.defs);
  at("game-title").textContent = state.title;
  at("round").textContent = state.headline;
  at("goal").lastElementChild?.replaceChildren(state.goal);
  document.body.classList.toggle("over", state.status === "over");
  document.body.classList.toggle("my-turn", state.your_turn && !isEarlier());
  showCurtain();
  showPrompt();
  showIcon(state.your_turn);
  showClock();
  showReactions();
  showSeats(showSeat);
  showAreas(click, showSeat);
  showScores();
  showLog();
  showLatest();
  showNotices();
  showTime();
  markLast(); // measures, as what follows does: nothing else is changed in between
  showPicks();
  showTabs();
}

/** @param {number} seat */
function showSeat(seat) {
  chooseCity(seat);
  openScore(seat);
  show();
}

function listen() {
  /** @type {Record<string, () => unknown>} */
  const buttons = {
    confirm,
    cancel,
    turn: () => turn(1),
    "take-back": takeBack,
    "skip-scene": skipScene,
    "open-menu": openMenu,
    "view-plan": () => setView("plan"),
    "view-skyline": () => setView("skyline"),
    "turn-left": () => turnSkyline(-1),
    "turn-right": () => turnSkyline(1),
    zoom: () => {
      now.wholeCity = !now.wholeCity;
      showZoom();
    },
    "own-city": () => {
      now.shown = ownSeat();
      now.opened = null;
      show();
    },
    lift: () => {
      look.seat = now.state.to_move;
      ask();
    },
  };
  for (const [id, then] of Object.entries(buttons)) at(id).addEventListener("click", then);
  listenToTime();
  listenToScene();
  listenToDialogs();
  listenToLesson();
  listenToReactions();
  listenToRules();
  listenToTips();
  onAgain(rematch);
  onCount(countAgain);
  document.addEventListener("keydown", key);
  document.addEventListener("pointerdown", noteHand, true);
  onTheme(() => ask());
  wide.addEventListener("change", show);
  window.addEventListener("resize", fitSoon);
  watchRoom();
}

/**
 * Note with what the page is touched; how near the board is follows with the pick, not under the finger.
 * @param {PointerEvent} event
 */
function noteHand({ pointerType }) {
  now.byKeyboard = false;
  now.byFinger = pointerType !== "mouse";
}

let resized = 0;

function fitSoon() {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => {
    fitPanels(); // takes room from the board, which follows
    letKeysScroll();
  });
}

/** Whether it is one's turn since others have moved, which may have come at once. @param {import("./types.js").State} before */
function hasBecomeMine(before) {
  const { your_turn, log, seats } = now.state;
  const othersMoved = log.some((one) => one.ply > before.last_ply && !seats[one.seat]?.mine);
  return your_turn && (othersMoved || !before.your_turn);
}

function start() {
  const { state } = now;
  if (state.defs) {
    const shapes = at("definitions");
    state.defs.body ??= shapes.innerHTML;
    shapes.setAttribute("data-hash", state.defs.hash);
  }
  for (const area of state.areas) area.body ??= bodyInPage(area.name);
  keepBodies(drawings(state));
  heard.choices = guide;
  guide();
  listen();
  heard.answer = (before) => {
    const picture = remember();
    const counts = countScores(before); // before the sums are shown
    tell();
    show();
    if (hasBecomeMine(before)) remind(now.state.title, now.state.table);
    move(picture, before);
    makeOnlyMove();
    if (!counts && !document.hidden && before.status !== "over" && now.state.status === "over") openSheet();
  };
  heard.redraw = show;
  heard.sending = showActions;
  heard.sent = refocus;
  const asChosen =
    (state.view ?? "plan") === look.view &&
    (state.theme ?? "light") === theme() &&
    (look.view === "plan" || look.turn === (state.turn ?? 0));
  if (asChosen) show();
  else ask();
  makeOnlyMove();
  countScores(state); // what was scored while nobody looked
  watch([state.table], ({ seq }) => hear(seq), askSoon, streamLost, showReaction);
}

start();
