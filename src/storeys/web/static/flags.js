// Small signs that are put into pictures: points on their way.

import { signed } from "./scores.js";

const SVG = "http://www.w3.org/2000/svg";

/** Points on a disc, around (0, 0). @param {number} points */
export function pointsSign(points) {
  const word = signed(points);
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("class", "badge");
  const wide = Math.max(26, 9 * word.length + 10);
  const back = document.createElementNS(SVG, "rect");
  for (const [key, value] of Object.entries({ x: -wide / 2, y: -13, width: wide, height: 26, rx: 13 })) {
    back.setAttribute(key, String(value));
  }
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("y", "5");
  text.setAttribute("text-anchor", "middle");
  text.textContent = word;
  group.append(back, text);
  return group;
}
