// Picking a move: the legal moves are bundles of picks, and each pick narrows them.
//
// This file knows neither a game nor the page.  What can be picked is given as pairs (key, value);
// a building that may be either end of a walkway has two.  `turn` alone has nothing to be picked by:
// it is cycled once everything else is fixed.

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {[string, string][]} Pairs what one element stands for */

const TURN = "turn";

/** @param {Pairs} pairs */
const nameOf = (pairs) => JSON.stringify(pairs);

/**
 * Whether a choice agrees with one pair of each step, each by another key.
 * @param {Choice} choice
 * @param {Pairs[]} steps
 * @param {Set<string>} [used]
 * @returns {boolean}
 */
function agrees(choice, steps, used = new Set()) {
  if (!steps.length) return true;
  const [first, ...rest] = steps;
  return first.some(
    ([key, value]) =>
      !used.has(key) && choice.picks[key] === value && agrees(choice, rest, new Set([...used, key])),
  );
}

export class Picking {
  /** @param {Choice[]} choices */
  constructor(choices) {
    this.choices = choices;
    /** @type {Pairs[]} */
    this.steps = [];
    /** The turn that is liked best, as far as it is legal. */
    this.turn = "0";
    /** Among choices with the very same picks. */
    this.nth = 0;
    /** Which of several elements that stand for the same was picked. @type {Map<string, number>} */
    this.copies = new Map();
    /** What is left after which steps: asked for again and again. @type {{steps: Pairs[], left: Choice[]} | null} */
    this.known = null;
  }

  /**
   * Whether an element is the one that was meant, of those that stand for the same.
   * @param {Pairs} pairs
   * @param {number} copy its number among them
   */
  isMeant(pairs, copy) {
    return (this.copies.get(nameOf(pairs)) ?? 0) === copy;
  }

  /**
   * The choices that agree with all picks.
   * @param {Pairs[]} [steps]
   */
  left(steps = this.steps) {
    if (steps !== this.steps) return this.choices.filter((choice) => agrees(choice, steps));
    if (this.known?.steps !== steps) this.known = { steps, left: this.choices.filter((choice) => agrees(choice, steps)) };
    return this.known.left;
  }

  /**
   * What would be left after one more pick.
   * @param {Pairs} pairs
   */
  leftWith(pairs) {
    return this.left().filter((choice) => agrees(choice, [pairs, ...this.steps]));
  }

  /** @param {Pairs} pairs */
  isPicked(pairs) {
    return this.steps.some((step) => nameOf(step) === nameOf(pairs));
  }

  /**
   * How an element stands: picked; needed anyway by all that is left; can be picked; may be picked
   * instead of another; or nothing.
   * @param {Pairs} pairs
   * @returns {"picked" | "implied" | "can" | "may" | "no"}
   */
  standing(pairs) {
    if (!pairs.length) return "no";
    if (this.isPicked(pairs)) return "picked";
    const before = this.left();
    const after = this.leftWith(pairs);
    if (after.length && after.length === before.length) return "implied";
    if (after.length) return "can";
    return this.instead(pairs) ? "may" : "no";
  }

  /**
   * The steps with a pick in the place of those that it contradicts, or null.
   * @param {Pairs} pairs
   * @returns {Pairs[] | null}
   */
  instead(pairs) {
    const keys = new Set(pairs.map(([key]) => key));
    const others = this.steps.filter((step) => !step.some(([key]) => keys.has(key)));
    for (const steps of [[...others, pairs], [pairs]]) if (this.left(steps).length) return steps;
    return null;
  }

  /**
   * How one of several elements that stand for the same stands: what is picked is one of them, and
   * the others may be taken instead.
   * @param {Pairs} pairs
   * @param {number} copy
   */
  standingOf(pairs, copy) {
    const standing = this.standing(pairs);
    const one = standing === "picked" || standing === "implied";
    return one && !this.isMeant(pairs, copy) ? "may" : standing;
  }

  /**
   * Pick, turn what is picked and fixed, or take a pick back.
   * @param {Pairs} pairs
   * @param {number} [copy] which of the elements that stand for the same
   * @returns {boolean} whether anything changed
   */
  pick(pairs, copy = 0) {
    const standing = this.standing(pairs);
    const meant = this.isMeant(pairs, copy);
    if (standing !== "no") this.copies.set(nameOf(pairs), copy);
    if (standing === "picked" && !meant) return true;
    if (standing === "picked" || standing === "implied") {
      if (this.isFixed() && this.canTurn()) return this.cycle(1);
      if (standing === "implied") this.steps = [...this.steps, pairs];
      else this.steps = this.steps.filter((step) => nameOf(step) !== nameOf(pairs));
    } else if (standing === "can") this.steps = [...this.steps, pairs];
    else if (standing === "may") this.steps = this.instead(pairs) ?? this.steps;
    else return false;
    this.nth = 0;
    return true;
  }

  /** Take the last pick back. */
  widen() {
    if (!this.steps.length) return false;
    this.steps = this.steps.slice(0, -1);
    this.nth = 0;
    return true;
  }

  /** Whether all that is left differs by its turn alone. */
  isFixed() {
    const bundles = new Set(
      this.left().map(({ picks }) =>
        JSON.stringify(Object.entries(picks).filter(([key]) => key !== TURN).sort()),
      ),
    );
    return bundles.size === 1;
  }

  canTurn() {
    return this.left().length > 1;
  }

  /** Whether the next pick may be turned before it is put down. */
  hasTurns() {
    return this.steps.length > 0 && this.left().some(({ picks }) => TURN in picks);
  }

  /**
   * Go on to the next turn (or the one before).
   * @param {number} by
   */
  cycle(by) {
    if (this.isFixed()) {
      const left = this.left();
      const now = this.current();
      if (left.length < 2 || !now) return false;
      this.nth = (left.indexOf(now) + by + left.length) % left.length;
      this.turn = left[this.nth].picks[TURN] ?? this.turn;
      return true;
    }
    if (!this.hasTurns()) return false;
    const turns = [...new Set(this.left().map(({ picks }) => picks[TURN] ?? "0"))].sort();
    const place = turns.indexOf(this.turn);
    this.turn = turns[(place + by + turns.length) % turns.length] ?? "0";
    return true;
  }

  /**
   * Whether a choice may be played; whoever is led waits for one of them.
   * @param {Choice | null} choice
   * @returns {boolean}
   */
  accepts(choice) {
    return choice !== null;
  }

  /**
   * The one choice that a confirmation would play.
   * @returns {Choice | null}
   */
  current() {
    if (!this.isFixed()) return null;
    const left = this.left();
    if (left[this.nth]?.picks[TURN] === this.turn) return left[this.nth];
    return left.find(({ picks }) => picks[TURN] === this.turn) ?? left[this.nth] ?? left[0];
  }
}
