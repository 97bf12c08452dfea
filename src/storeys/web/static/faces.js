// Choosing one's face: a roof and a colour.

import { make } from "./dom.js";
import { now } from "./now.js";
import { say } from "./texts.js";

const ROOFS = ["flat", "gable", "dome", "spire", "steps", "slant", "crown", "tank"];
const COLOURS = ["red", "amber", "green", "teal", "blue", "violet", "pink", "slate"];

/**
 * Two rows to choose from, and what is chosen; nothing where a bot sits.
 * @param {number} seat
 */
export function facePicker(seat) {
  const [, name] = /\/([a-z]+-[a-z]+)\.svg$/.exec(now.state.seats[seat].face ?? "") ?? [];
  let [roof, colour] = ROOFS.includes((name ?? "").split("-")[0]) ? (name ?? "").split("-") : ["", ""];
  if (!roof) return { rows: [], value: () => "" };
  /** @type {HTMLImageElement[]} */
  const roofs = ROOFS.map((one) => make("img", { alt: say(`roof-${one}`), width: 40, height: 40 }));
  const draw = () => roofs.forEach((picture, nth) => picture.setAttribute("src", `/faces/${ROOFS[nth]}-${colour}.svg`));
  const colours = COLOURS.map((one) => make("img", { alt: say(`colour-${one}`), width: 40, height: 40, src: `/faces/${roof}-${one}.svg` }));
  draw();
  return {
    value: () => `${roof}-${colour}`,
    rows: [
      row(`roof-${seat}`, say("face-roof"), ROOFS, roofs, roof, (chosen) => {
        roof = chosen;
        colours.forEach((picture, nth) => picture.setAttribute("src", `/faces/${roof}-${COLOURS[nth]}.svg`));
      }),
      row(`colour-${seat}`, say("face-colour"), COLOURS, colours, colour, (chosen) => {
        colour = chosen;
        draw();
      }),
    ],
  };
}

/**
 * @param {string} name
 * @param {string} title
 * @param {string[]} values
 * @param {HTMLImageElement[]} pictures
 * @param {string} chosen
 * @param {(value: string) => void} then
 */
function row(name, title, values, pictures, chosen, then) {
  const choices = values.map((value, nth) => {
    const box = make("input", { type: "radio", name, value, onchange: () => then(value) });
    box.checked = value === chosen;
    return make("label", { class: "pill-face" }, box, pictures[nth]);
  });
  return make("fieldset", { class: "faces" }, make("legend", {}, title), ...choices);
}
