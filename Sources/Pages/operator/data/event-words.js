// Events as sentences, in which names are marked (common/names.js).

import { isolated } from "/common/names.js";
import { milliseconds, moment } from "../figures/format.js";

const PLAYER = {
    joined: "joined", lost: "is lost; the seat is kept for a while", back: "is back", left: "left",
};
const TEACHING = {
    example: (e) => `${e.shown} of ${e.times} shown`, unlike: (e) => `unlike the one before, ${e.shown} of ${e.times}`,
    finished: () => "it is recognised now", abandoned: () => "called off",
};

const SENSOR = { connected: "is there", disconnected: "fell silent", tookOver: "took over" };

/** What can be filtered by, in the order of the page. */
export const TYPES = ["player", "gesture", "link", "haptic", "verdict", "room", "asking", "teaching", "sensor"];

/** One event as a sentence; `null` for what the feed leaves out. `name(player)`: what people call one. */
export function words(event, name) {
    switch (event.type) {
    case "player":
        if (event.state === "renamed") return `P${event.player} is called ${isolated(event.name)} now`;
        return `${isolated(event.name)} ${PLAYER[event.state] ?? event.state}`;
    case "gesture":
        if (event.phase !== "began") return null;
        return `${name(event.player)}: ${event.gesture}, strength ${event.strength.toFixed(2)} `
            + (event.uncertainty === null ? "(clock not known)" : `(± ${milliseconds(event.uncertainty)})`);
    case "verdict": return `${event.gesture}, in order: ${order(event.order, name)}`;
    case "link":
        return `${name(event.player)}: link ${event.state}` + (event.stream === null ? "" : `, stream ${event.stream}`)
            + (event.delay === null ? "" : `, delay ${milliseconds(event.delay)}`);
    case "haptic":
        return `${name(event.player)}: haptic ${event.id} ${event.outcome}` + (event.reason ? `: ${event.reason}` : "");
    case "room": return `The room is ${event.state}`;
    case "teaching":
        return `${name(event.player)} teaches ${event.gesture}: ${TEACHING[event.state]?.(event) ?? event.state}`;
    case "asking": return `${isolated(event.name)} asks to join`;
    case "sensor":
        return event.state === "problem" ? `${name(event.player)}: ${event.explanation}`
            : `${name(event.player)}: ${event.location} sensor ${event.stream} ${SENSOR[event.state] ?? event.state}`;
    default: return null;
    }
}

/** What a screen reader is told at once: comings and goings, and who asks. */
export function announcement(event, name) {
    return ["player", "asking", "room"].includes(event.type) ? words(event, name) : null;
}

export { moment };

/** Ranks, best first; ties with an equals sign. */
function order(ranks, name) { return ranks.map((tied) => tied.map(name).join(" = ")).join(", "); }
