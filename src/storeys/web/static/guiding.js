// Picking where somebody is led: in first steps one move is waited for, and only its next pick is lit.
//
// Like picking.js this knows neither a game nor the page.

import { Picking } from "./picking.js";

/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").State} State */
/** @typedef {import("./picking.js").Pairs} Pairs */

const TURN = "turn";

/** The picks of one move, one after the other; nothing else can be picked. */
export class Guided extends Picking {
  /**
   * @param {Choice[]} choices
   * @param {Choice} wanted
   */
  constructor(choices, wanted) {
    super(choices);
    this.wanted = wanted;
  }

  /** What is to be picked next, if it is not settled by what is picked. */
  nextKey() {
    const left = this.left();
    return Object.keys(this.wanted.picks).find(
      (key) => key !== TURN && left.some(({ picks }) => picks[key] !== this.wanted.picks[key]),
    );
  }

  /**
   * @param {Pairs} pairs
   * @returns {"picked" | "implied" | "can" | "may" | "no"}
   */
  standing(pairs) {
    const usual = super.standing(pairs);
    if (usual === "picked" || usual === "no") return usual;
    const next = this.nextKey();
    const meant = pairs.filter(([key, value]) => this.wanted.picks[key] === value);
    if (usual === "implied") return meant.length ? "implied" : "no";
    return meant.some(([key]) => key === next) ? "can" : "no";
  }

  isTurned() {
    return (this.wanted.picks[TURN] ?? "0") === this.turn;
  }

  canTurn() {
    return !this.isTurned() && super.canTurn();
  }

  hasTurns() {
    return !this.isTurned() && super.hasTurns();
  }

  /** @param {number} by */
  cycle(by) {
    return !this.isTurned() && super.cycle(by);
  }

  /** @param {Choice | null} choice */
  accepts(choice) {
    return choice?.move === this.wanted.move;
  }
}

/**
 * How the moves of a state are picked: all of them, or as first steps ask for it.
 * @param {State} state
 * @param {boolean} follows whether the steps are followed
 */
export function pickingFor({ choices, lesson }, follows) {
  const takes = follows ? lesson?.takes : null;
  if (!takes) return new Picking(choices);
  if (takes.length === 1) return new Guided(choices, choices[takes[0]]);
  return new Picking(takes.map((nth) => choices[nth]));
}
