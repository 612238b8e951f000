// Writes what the phone's player sees. Names and messages of others are text, never markup.

import { inkOn } from "/common/ink.js";
import { write } from "/common/names.js";

/** @param {string} id @returns {HTMLElement} */
export const element = (id) => document.getElementById(id);

/** Sets a text only when it changes: screen readers and layout are left in peace. */
export function say(id, text) { write(element(id), text); }

export function show(id, isShown) { element(id).hidden = !isShown; }

/** Whether what has the focus is hidden: with the page's next picture nothing has it. */
export const isFocusHidden = () => Boolean(document.activeElement?.closest("[hidden]"));

/** Told to screen readers, once; also what was told just before: a region whose text stays the same says nothing. */
export function announce(text) {
    say("live", "");
    requestAnimationFrame(() => say("live", text));
}

/** The player's colour, and black or white on it. */
export function paint(color) {
    if (!/^#[0-9a-f]{6}$/i.test(color)) return;
    const root = document.documentElement.style;
    root.setProperty("--seat", color);
    root.setProperty("--on-seat", inkOn(color));
}

/** How far the page is turned on the phone, which is held across: anticlockwise, as the phone is, in degrees. */
export const turned = () => screen.orientation?.angle ?? window.orientation ?? 0;

/**
 * The spirit level: where up lies, seen from above.
 * @param {number[]} up a unit vector in the phone's axes @param {number} angle how far the page is turned on it
 */
export function level([x, y, z], angle) {
    // Beyond upright the bubble stays at the rim.
    const length = Math.max(1e-6, Math.hypot(x, y));
    const reach = z < 0 ? 1 : Math.min(1, length);
    const bearing = Math.atan2(y, x) + (angle * Math.PI) / 180;
    const [right, down] = [Math.cos(bearing), -Math.sin(bearing)].map((part) => part * reach * 24);
    element("bubble").style.transform = `translate(${right}px, ${down}px)`;
}
