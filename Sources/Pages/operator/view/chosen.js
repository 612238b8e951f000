// The chosen player: how it is held and pushed, everything about its link, and what the operator can do.

import { decimal, sentence, sentenceOr } from "/common/language.js";
import { isolated } from "/common/names.js";
import { troubleWords } from "../data/same-trouble.js";
import * as format from "../figures/format.js";
import { byId, make, say } from "./make.js";
import { motionWords, SEATS } from "./player-row.js";
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
        const seat = sentence("players.seat", { seat: peer.seat });
        say(byId("chosen-seat"), [seat, SEATS[peer.state]?.()].filter(Boolean).join(", "));
        const troubles = (peer.recent?.faults ?? []).map((fault) => troubleWords([fault]));
        const wrong = troubles.join("\n");
        if (this.wrong !== wrong) {
            this.wrong = wrong;
            byId("chosen-troubles").replaceChildren(...troubles.map((text) => make("li", {}, text)));
        }
        byId("chosen-troubles").hidden = wrong === "";
        const kept = this.motionOf.of(peer.player);
        const words = motionWords(kept, this.motionOf.now());
        byId("trace").setAttribute("aria-label", sentence("chosen.accelerationOf", { words }));
        byId("attitude").setAttribute("aria-label", attitudeWords(kept));
        const known = new Map(figures(peer));
        for (const [term, value] of known) this.#figure(term, value);
        for (const [term, definition] of this.#terms) definition.parentElement.hidden = !known.has(term);
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
    // One after the other, whichever way the words around them run.
    const percentiles = (delay) => (delay
        ? isolated(`p50 ${ms(delay.p50Ms)}, p95 ${ms(delay.p95Ms)}, p99 ${ms(delay.p99Ms)}`) : sentence("chosen.notYet"));
    const quality = peer.quality === undefined ? [] : [sentence("chosen.quality", { share: percent(peer.quality) })];
    const browser = peer.transport === "wss" || peer.transport === "post";
    const counts = (all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, count(value)]));
    const { delivered, late, abandoned, missing, expected } = counts(samples);
    return [
        ["players.link", [sentenceOr(`state.${peer.link}`, peer.link), peer.transport, ...quality].join(", ")],
        ["chosen.address", peer.address ?? "–"],
        ["chosen.heard", sentence("chosen.ago", { time: ms(peer.lastHeardMs) })],
        ["players.samples", sentence("chosen.samples", { expected, delivered, late, abandoned, missing })],
        ["chosen.datagrams", sentence("chosen.datagramsText", {
            arrived: count(datagrams.authenticated), twice: count(datagrams.duplicate),
            reordered: count(datagrams.reordered) })],
        ["chosen.loss", datagrams.missing === null || datagrams.missing === undefined
            ? sentence(browser ? "chosen.lossTCP" : "chosen.lossUnknown")
            : sentence("chosen.lossText", { missing: count(datagrams.missing), expected: count(datagrams.expected),
                share: percent(format.lossOf(datagrams) ?? 0) })],
        ["chosen.delay", recent?.delayMs === undefined ? percentiles(peer.delay) : sentence("chosen.delayNow", {
            delay: ms(recent.delayMs), error: ms(recent.delayUncertaintyMs), percentiles: percentiles(peer.delay) })],
        ["chosen.queueing", sentence("chosen.queueingText", { percentiles: percentiles(peer.queueing) })],
        ["chosen.roundTrip", `${ms(peer.roundTripMs)}, ${ms(peer.jitterMs)} (RFC 3550)`],
        ["players.clock", format.clock(peer.clock)],
        ["chosen.sensor", sensorWords(peer.sensor)],
        // Few have a water sensor.
        ...(peer.submersion ? [["chosen.water", format.water(peer.submersion)]] : []),
        ["chosen.controller", peer.controller],
    ].map(([term, value]) => [sentence(term), value]);
}

function sensorWords(sensor) {
    if (!sensor) return sentence("chosen.sensorNone");
    const { permission, rate, gaps, longestGap, vibrates, battery, charging } = sensor;
    const parts = [permission && sentenceOr(`permission.${permission}`, permission),
        rate === undefined ? null : `${decimal(rate)} Hz`,
        gaps === undefined ? null : sentence("chosen.gaps", { count: gaps, time: format.milliseconds(longestGap) }),
        vibrates === undefined ? null : sentence(vibrates ? "chosen.vibrates" : "chosen.flashes"),
        battery === undefined ? null
            : sentence(charging ? "chosen.batteryCharging" : "chosen.battery", {
                share: format.percent(battery / 100) })];
    return parts.filter(Boolean).join(", ");
}

/** How it is held, in degrees from straight ahead. */
export function attitudeWords(kept) {
    if (!kept) return sentence("chosen.heldUnknown");
    const [w, x, y, z] = kept.attitude;
    const degrees = (value) => Math.round((value * 180) / Math.PI);
    const pitch = degrees(Math.asin(Math.max(-1, Math.min(1, 2 * (w * x + y * z)))));
    const roll = degrees(Math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)));
    const yaw = degrees(Math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)));
    const said = (value, below, otherwise) => (
        sentence(value < 0 ? below : otherwise, { angle: Math.abs(value) }));
    return sentence("chosen.held", {
        pitch: said(pitch, "held.topDown", "held.topUp"), roll: said(roll, "held.rightUp", "held.rightDown"),
        yaw: said(yaw, "held.turnedRight", "held.turnedLeft") });
}
