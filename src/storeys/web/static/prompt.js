// What is to be done now and by whom: the prompt, the banner, the seats, the curtain.

import { send } from "./asking.js";
import { at, make } from "./dom.js";
import { inviteRow, onlyHere } from "./links.js";
import { curtained, hasCities, isEarlier, isHotSeat, isPast, largeSeat, lentSeats, look, now, wide, winnersNow } from "./now.js";
import { winnersWords } from "./points.js";
import { badges, crown, disc, face, signed } from "./scores.js";
import { figure, say } from "./texts.js";

/** @typedef {import("./types.js").Seat} Seat */

export function showCurtain() {
  const curtain = at("curtain");
  const drawn = curtained();
  const opening = drawn && curtain.hidden;
  curtain.hidden = !drawn;
  for (const part of document.querySelectorAll("#main, .bar")) {
    part.toggleAttribute("inert", drawn);
  }
  if (!drawn || now.state.to_move === null) return;
  const name = now.state.seats[now.state.to_move].name;
  at("curtain-words").textContent = say("pass-screen", { name });
  at("lift").textContent = say("i-am", { name });
  if (opening) at("lift").focus();
}

export function showPrompt() {
  const { state } = now;
  const words = promptWords();
  if (at("prompt").textContent !== words) at("prompt").textContent = words;
  at("skip-scene").hidden = !now.scene;
  at("take-back").hidden = !state.can_take_back || isEarlier();
  document.title = titleWords();
  showBanner();
}

function promptWords() {
  const { state } = now;
  if (now.offline) return say("offline");
  if (now.scene) return now.scene.words;
  if (state.moment) return partWords();
  if (isPast()) return now.paused ? say("paused", { n: state.last_ply - state.ply }) : pastWords();
  if (state.status === "over") return winnersWords();
  if (state.status === "waiting") return say("waiting-for-friends");
  if (state.your_turn || curtained()) return state.prompt;
  return say("their-turn", { name: state.to_move === null ? "" : state.seats[state.to_move].name });
}

/** What was done last in the position that is looked at. */
function pastWords() {
  const { ply, last_ply, log, seats } = now.state;
  const entry = log.find((one) => one.ply === ply);
  if (!entry) return say("looking-at", { n: ply, last: last_ply });
  return say("at-move", { n: ply, last: last_ply, name: seats[entry.seat].name, text: entry.text });
}

/** The part of a score whose moment is seen. */
function partWords() {
  const [seat, nth] = (look.part ?? "0.0").split(".").map(Number);
  const part = now.state.scores[seat]?.parts[nth];
  return part ? `${now.state.seats[seat].name}: ${part.label}, ${signed(part.points)} – ${momentWords()}` : momentWords();
}

/** Which earlier position is seen because a part of a score was made then. */
function momentWords() {
  const { moment, last_ply } = now.state;
  return say("at-scoring", { round: moment?.round ?? 0, n: moment?.ply ?? 0, last: last_ply });
}

function titleWords() {
  const { state } = now;
  if (state.status !== "playing" || state.to_move === null) return state.title;
  if (state.your_turn) return `● ${say("your-turn")} — ${state.title}`;
  return `${state.seats[state.to_move].name} — ${state.title}`;
}

// --- the banner

/** What the banner says, so that it is made anew only when that changes. */
let said = "";

function showBanner() {
  const banner = at("banner");
  const { state } = now;
  const content = bannerContent();
  banner.hidden = !content;
  banner.classList.toggle("floats", state.status !== "waiting"); // the board keeps its place
  const key = JSON.stringify([content?.[0], state.rematch, state.seats.map((seat) => seat.invite)]);
  if (!content || key === said) return;
  said = key;
  const [words, ...rest] = content;
  banner.replaceChildren(make("span", {}, words), ...rest);
}

/** @returns {[string, ...HTMLElement[]] | null} */
function bannerContent() {
  const { state } = now;
  if (now.scene || isEarlier()) return null; // the bar below leads back
  if (state.status === "waiting") {
    const invites = state.seats.filter((seat) => seat.invite);
    if (!invites.length) return null;
    const seen = invites.length === 1 && wide.matches; // a phone is what one sends links with
    return [say("send-links"), ...onlyHere(), ...invites.map((seat) => inviteRow(seat, seen))];
  }
  if (state.status === "over") {
    if (!state.rematch) return null;
    return [say("rematch-began"), make("a", { class: "small", href: `/t/${state.rematch}` }, say("go-there"))];
  }
  const [lent] = lentSeats();
  if (lent === undefined) return null;
  if (state.seats[lent].stand_in) return [say("stand-in")];
  const back = () => send({ kind: "return", seat: lent });
  return [say("bot-plays-yours", { name: state.seats[lent].name }), bannerButton(say("play-myself"), back)];
}

/**
 * @param {string} words
 * @param {() => unknown} then
 */
const bannerButton = (words, then) => make("button", { type: "button", class: "small", onclick: then }, words);

// --- the seats

/** @param {(seat: number) => void} chosen */
export function showSeats(chosen) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.seat;
  at("seats").replaceChildren(...now.state.seats.map((seat) => make("li", {}, seatButton(seat, chosen))));
  if (focused) /** @type {HTMLElement | null} */ (at("seats").querySelector(`[data-seat="${focused}"]`))?.focus();
}

/**
 * @param {Seat} seat
 * @param {(seat: number) => void} chosen
 */
function seatButton(seat, chosen) {
  const { state } = now;
  const total = now.scene?.sums.get(seat.seat) ?? state.scores.find((score) => score.seat === seat.seat)?.total ?? 0;
  const { safe = null, promised = null } = state.scores.find((score) => score.seat === seat.seat) ?? {};
  const counts = promised !== null && seat.mine && !now.scene && state.status !== "over";
  const hopes = counts ? say("promised-short", { safe: safe ?? 0, promised }) : "";
  const moves = state.to_move === seat.seat && state.status === "playing";
  const words = [
    seat.mine && !isHotSeat() ? say("you") : "",
    say("n-points", { n: total }),
    hopes,
    moves ? say("is-to-move") : "",
    seat.resigned ? say("resigned") : "",
  ];
  return make(
    "button",
    {
      type: "button",
      class: `seat${moves ? " moves" : ""}${seat.mine ? " mine" : ""}${seat.resigned ? " resigned" : ""}`,
      "data-seat": seat.seat,
      "data-tip": [seat.name, ...words].filter(Boolean).join(", "),
      "aria-pressed": hasCities() ? largeSeat() === seat.seat : null,
      onclick: () => chosen(seat.seat),
    },
    disc(seat.seat),
    make("span", { class: "name" }, seat.name, hopes && make("small", { class: "hopes", "aria-hidden": "true" }, hopes)),
    make("span", { class: "sr" }, `, ${words.filter(Boolean).join(", ")}`),
    face(seat.face),
    make(
      "span",
      { class: "sum" },
      ...badges(seat),
      winnersNow().includes(seat.seat) && crown(),
      make("strong", { "aria-hidden": "true" }, figure(total)),
    ),
  );
}
