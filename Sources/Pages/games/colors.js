// Players' colours are the room's, light and dark ones: what is written on them must be read all the same.
import { inkOn } from "/common/ink.js";
import { shapeOf } from "/common/shape.js";

/** Gives an element and what is in it the colours of a player, as `--player` and `--ink`, and its badge's outline. */
export function dress(element, color, player) {
    element.dataset.shape = shapeOf(player);
    element.style.setProperty("--player", color);
    element.style.setProperty("--ink", inkOn(color));
}
