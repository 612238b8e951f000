// The chosen player: how it is held and pushed, everything about its link, and what the operator can do.

import { isolated } from "/common/names.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";
import { motionWords } from "./player-row.js";
import { drawAttitude, drawLarge } from "./trace.js";

export class Chosen {
    peer = null;
    #terms = new Map();

    constructor(animation, motionOf) {
        this.motionOf = motionOf;
        animation.add(byId("attitude"), () => this.peer && drawAttitude(
            byId("attitude"), motionOf.of(this.peer.player), format.color(this.peer.color), motionOf.colors()));
        animation.add(byId("trace"), () => this.peer && drawLarge(
            byId("trace"), motionOf.of(this.peer.player), motionOf.now(), motionOf.colors()));
    }

    show(peer) {
        this.peer = peer;
        byId("chosen").hidden = !peer;
        if (!peer) return;
        say(byId("chosen-name"), `P${peer.player} ${isolated(peer.name)}`);
        byId("chosen").style.setProperty("--player", format.color(peer.color));
        say(byId("chosen-seat"), `seat ${peer.seat}, ${peer.state}`);
        const troubles = peer.recent?.troubles ?? [];
        const wrong = troubles.join("\n");
        if (this.wrong !== wrong) {
            this.wrong = wrong;
            byId("chosen-troubles").replaceChildren(...troubles.map((text) => make("li", {}, text)));
        }
        byId("chosen-troubles").hidden = wrong === "";
        const kept = this.motionOf.of(peer.player);
        byId("trace").setAttribute("aria-label", `Acceleration: ${motionWords(kept, this.motionOf.now())}`);
        byId("attitude").setAttribute("aria-label", attitudeWords(kept));
        for (const [term, value] of figures(peer)) this.#figure(term, value);
    }

    #figure(term, value) {
        if (!this.#terms.has(term)) {
            const definition = make("dd");
            this.#terms.set(term, definition);
            byId("chosen-figures").append(make("div", {}, make("dt", {}, term), definition));
        }
        say(this.#terms.get(term), value);
    }
}

/** Everything in figures, as terms and values. */
export function figures(peer) {
    const { datagrams, samples, recent } = peer;
    const { count, milliseconds: ms, percent } = format;
    const percentiles = (delay) => (
        delay ? `p50 ${ms(delay.p50Ms)}, p95 ${ms(delay.p95Ms)}, p99 ${ms(delay.p99Ms)}` : "not known yet");
    const quality = peer.quality === undefined ? "" : `, quality ${percent(peer.quality)} of the last 5 s`;
    const browser = peer.transport === "wss" || peer.transport === "post";
    return [
        ["Link", `${peer.link}, ${peer.transport}${quality}`],
        ["Address", peer.address ?? "–"],
        ["Last heard", `${ms(peer.lastHeardMs)} ago`],
        ["Samples", `${count(samples.expected)} expected = ${count(samples.delivered)} delivered`
            + ` + ${count(samples.late)} late + ${count(samples.abandoned)} abandoned`
            + ` + ${count(samples.missing)} missing`],
        ["Datagrams", `${count(datagrams.authenticated)} arrived, ${count(datagrams.duplicate)} twice, `
            + `${count(datagrams.reordered)} out of order`],
        ["Datagram loss", datagrams.missing === null || datagrams.missing === undefined
            ? (browser ? "n/a (TCP): a loss shows as delay" : "unknown: these frames bear no number")
            : `${count(datagrams.missing)} of ${count(datagrams.expected)}, ${percent(format.lossOf(datagrams) ?? 0)}`],
        ["Delay one way", recent?.delayMs === undefined ? percentiles(peer.delay)
            : `${ms(recent.delayMs)} ± ${ms(recent.delayUncertaintyMs)} now; ${percentiles(peer.delay)}`],
        ["Queueing", `above the least: ${percentiles(peer.queueing)}`],
        ["Round trip, jitter", `${ms(peer.roundTripMs)}, ${ms(peer.jitterMs)} (RFC 3550)`],
        ["Clock", format.clock(peer.clock)],
        ["Its sensor", sensorWords(peer.sensor)],
        ["Controller", peer.controller],
    ];
}

function sensorWords(sensor) {
    if (!sensor) return "nothing said";
    const parts = [sensor.permission, sensor.rate === undefined ? null : `${sensor.rate.toFixed(0)} Hz`,
        sensor.gaps === undefined ? null : `${sensor.gaps} gaps, the longest ${format.milliseconds(sensor.longestGap)}`,
        sensor.vibrates === undefined ? null : sensor.vibrates ? "vibrates" : "flashes and sounds"];
    return parts.filter(Boolean).join(", ");
}

/** How it is held, in degrees from straight ahead. */
export function attitudeWords(kept) {
    if (!kept) return "How it is held: not known yet";
    const [w, x, y, z] = kept.attitude;
    const degrees = (value) => Math.round((value * 180) / Math.PI);
    const pitch = degrees(Math.asin(Math.max(-1, Math.min(1, 2 * (w * x + y * z)))));
    const roll = degrees(Math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)));
    const yaw = degrees(Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)));
    return `How it is held: top edge ${Math.abs(pitch)}° ${pitch < 0 ? "down" : "up"}, `
        + `right edge ${Math.abs(roll)}° ${roll < 0 ? "up" : "down"}, `
        + `turned ${Math.abs(yaw)}° to the ${yaw < 0 ? "right" : "left"}`;
}
