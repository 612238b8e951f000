// Eight colours are as many as everybody can tell apart; the outline of a player's badge says which eight it is one of.

const COLORS = 8;
const SHAPES = 4;

/** For `data-shape` (base.css). @param {number} player from 1 */
export const shapeOf = (player) => String(Math.floor((player - 1) / COLORS) % SHAPES);
