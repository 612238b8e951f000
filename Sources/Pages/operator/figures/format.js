// How figures are written for people: with units, and a dash for what is not known.

import { inkOn as ink } from "/common/ink.js";
import { decimal, isRightToLeft, sentence, sentenceOr } from "/common/language.js";
import { isolated } from "/common/names.js";

/** A number stays before its unit, whichever way the words around them run. */
const together = (text) => (isRightToLeft ? isolated(text) : text);

/** @param {?number} value ms */
export function milliseconds(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size >= 1000) return together(`${decimal(value / 1000, 1)} s`);
    return together(`${decimal(value, size < 10 ? 2 : 1)} ms`);
}

/** @param {?number} share 0 to 1 */
export function percent(share) {
    if (share === null || share === undefined) return "–";
    const value = share * 100;
    return together(`${decimal(value, value > 0 && value < 9.95 ? 1 : 0)} %`);
}

/** A number of things, in groups of three; `null` is what nobody can know. */
export function count(number) {
    return number === null || number === undefined ? sentence("figure.unknown") : decimal(number);
}

/** @param {number} value ms, as "2 h 5 min" */
export function duration(value) {
    const seconds = Math.floor(value / 1000);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    if (hours > 0) return sentence("figure.hours", { hours, minutes });
    if (minutes > 0) return sentence("figure.minutes", { minutes, seconds: seconds % 60 });
    return sentence("figure.seconds", { seconds });
}

/** Milliseconds since the room opened, as "1:02:03.4". */
export function moment(at) {
    const tenths = Math.floor(Math.abs(at) / 100);
    const parts = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, Math.floor(tenths / 10) % 60];
    const two = (part) => String(part).padStart(2, "0");
    const text = parts[0] > 0 ? `${parts[0]}:${two(parts[1])}:${two(parts[2])}` : `${parts[1]}:${two(parts[2])}`;
    return `${at < 0 ? "−" : ""}${text}.${tenths % 10}`;
}

/** @param {{state: string, uncertaintyMs?: number}} clock */
export function clock({ state, uncertaintyMs }) {
    const words = sentenceOr(`clock.${state}`, state);
    return uncertaintyMs === undefined || uncertaintyMs === null ? words : `${words} ± ${milliseconds(uncertaintyMs)}`;
}

/** How deep a device is: its state in words, then what is known of depth, temperature and pressure. */
export function water({ state, depth, depthUncertainty, temperature, temperatureUncertainty, pressure }) {
    const figure = (value, error, digits, unit) => (value === null || value === undefined ? null
        : together(`${decimal(value, digits)}${error === null || error === undefined ? "" : ` ± ${decimal(error, digits)}`} ${unit}`));
    return [sentenceOr(`water.${state}`, state), figure(depth, depthUncertainty, 2, "m"),
        figure(temperature, temperatureUncertainty, 1, "°C"), figure(pressure, null, 1, "kPa")].filter(Boolean).join(", ");
}

/** The share of the numbered datagrams that are lost so far; `null` where a loss cannot be seen as such. */
export function lossOf({ missing, expected }) {
    return missing === null || missing === undefined || !expected ? null : missing / expected;
}

/** The colour as text, if it is one: nothing else of a peer's ever reaches a style. */
export function color(text) { return /^#[0-9a-f]{6}$/i.test(text) ? text : "#888888"; }

/** What is written on that colour. */
export const inkOn = (text) => ink(color(text));
