// Events as sentences, in which names are marked (common/names.js).

import { decimal, knows, sentence, sentenceOr } from "/common/language.js";
import { isolated } from "/common/names.js";
import { milliseconds, water } from "../figures/format.js";

/** What can be filtered by, in the order of the page. */
export const TYPES = ["player", "gesture", "link", "haptic", "verdict", "room", "asking", "queue", "teaching",
    "sensor", "battery", "submersion", "omitted"];

/** One event as a sentence; `null` for what the feed leaves out. `name(player)`: what people call one. */
export function words(event, name) {
    const player = event.player === undefined ? "" : name(event.player);
    const said = (key, values) => (knows(key) ? sentence(key, { ...event, player, ...values }) : null);
    const own = isolated(event.name ?? "");
    switch (event.type) {
    case "player": return said(`event.player.${event.state}`, { player: `P${event.player}`, name: own });
    case "gesture": {
        if (event.phase !== "began") return null;
        const [gesture, strength] = [gestureWords(event.gesture), decimal(event.strength, 2)];
        return (event.uncertainty === null ? said("event.gestureClockless", { gesture, strength })
            : said("event.gesture", { gesture, strength, uncertainty: milliseconds(event.uncertainty) }))
            + (event.source === "button" ? said("event.byButton") : "");
    }
    case "verdict":
        return said("event.verdict", { gesture: gestureWords(event.gesture), order: order(event.order, name) });
    case "link":
        return said("event.link", { state: sentenceOr(`state.${event.state}`, event.state) })
            + (event.stream === null ? "" : said("event.stream"))
            + (event.delay === null ? "" : said("event.delay", { delay: milliseconds(event.delay) }));
    case "haptic":
        return said(`event.haptic.${event.outcome}`, { reason: sentenceOr(`haptic.${event.reason}`, event.reason) });
    case "room": return said(`event.room.${event.state}`);
    case "teaching": {
        const step = said(`event.teaching.${event.state}`, { gesture: isolated(event.gesture) });
        return step && event.alike ? step + said("event.teachingAlike", { alike: isolated(event.alike) }) : step;
    }
    case "asking": return said("event.asking", { name: own });
    case "queue": return said(`event.queue.${event.state}`, { name: own });
    case "sensor":
        if (event.state === "problem") {
            return `${player}: ${sentenceOr(`trouble.${event.problem}`, isolated(event.explanation))}`;
        }
        // A lone sensor comes and goes with its controller, which is told already.
        if (event.stream === 0 && event.location === "default") return null;
        return said(`event.sensor.${event.state}`, { sensor: event.location === "default"
            ? sentence("sensor.number", event) : sentenceOr(`sensor.${event.location}`, isolated(event.location)) });
    case "battery": return said(event.charging ? "event.batteryCharging" : "event.battery");
    case "submersion": return event.from === null ? null : said("event.submersion", { water: water(event) });
    case "omitted": return said("event.omitted");
    default: return null;
    }
}

/** A gesture by its name; what was taught has the name that its teacher gave it. */
export const gestureWords = (gesture) => sentenceOr(`gesture.${gesture}`, isolated(gesture));

/** What a screen reader is told at once: comings and goings, and who asks. */
export function announcement(event, name) {
    return ["player", "asking", "queue", "room"].includes(event.type) ? words(event, name) : null;
}

/** Ranks, best first; ties with an equals sign. */
function order(ranks, name) { return ranks.map((tied) => tied.map(name).join(" = ")).join(", "); }
