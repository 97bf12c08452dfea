// Quietly: how far the games are compiled, until they are.

import { askCompiled } from "./api.js";
import { at } from "./dom.js";
import { say } from "./texts.js";

const PAUSE = 3000;

async function show() {
  const { busy, games } = await askCompiled();
  const done = games.reduce((sum, game) => sum + game.done, 0);
  const steps = games.reduce((sum, game) => sum + game.steps, 0);
  at("compiled").hidden = !busy;
  at("compiled").textContent = say("compiled", { percent: Math.floor((100 * done) / Math.max(steps, 1)) });
  if (busy) again();
}

/** Who looks elsewhere need not know; a server that does not answer is told of by others. */
function again() {
  setTimeout(() => (document.hidden ? again() : show().catch(again)), PAUSE);
}

show().catch(again);
