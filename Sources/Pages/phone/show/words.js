// The state of things in plain words.

import { decimal, sentence } from "/common/language.js";

/** States that have words of their own. */
const STATES = new Set(["connecting", "asking", "waiting", "paused"]);

/** A room that did not come back for so long, in ms, may be at another address: its host has died, and another went on. */
const LONG = 20_000;

/** How it is to a room that was lost, or not found: only who was in has something there that is kept. */
function lossInWords({ wasIn, place, lostAt }, now) {
    const said = (key, advice) => ({ text: sentence(key), kind: "bad", advice: sentence(advice) });
    if (wasIn) return said("link.reconnecting", now - lostAt < LONG ? "link.reconnectingAdvice" : "link.goneAdvice");
    return place === null
        ? said("link.unanswered", "link.unansweredAdvice") : said("link.reconnecting", "link.silentAdvice");
}

/**
 * How the connection is, as its player feels it.
 * @param {import("../session.js").Session} session
 * @returns {{text: string, kind: "good" | "warn" | "bad" | "muted", advice: string}}
 */
export function connectionInWords(session, now) {
    if (session.state === "reconnecting") return lossInWords(session, now);
    if (!session.isSeated) {
        if (session.state === "waiting" && session.place !== null) {
            const text = session.place === 1 ? sentence("queue.next") : sentence("queue.place", { place: session.place });
            return { text, kind: "muted", advice: sentence("queue.text") };
        }
        return { text: STATES.has(session.state) ? sentence(`link.${session.state}`) : "", kind: "muted", advice: "" };
    }
    const { link } = session;
    const silence = now - link.heardAt;
    // The host acknowledges five times a second: what waits longer is late on its way.
    const late = Math.max(link.delay.smooth, ...link.streams.map((stream) => stream.waiting(now) - 250));
    if (silence > 1_000) {
        const text = sentence("link.silent", { seconds: Math.round(silence / 1_000) });
        return { text, kind: "bad", advice: sentence("link.silentAdvice") };
    }
    const advice = sentence("link.late", { seconds: decimal(late / 1_000, 1) });
    if (late > 400) return { text: sentence("link.slow"), kind: "bad", advice };
    if (late > 120) return { text: sentence("link.fair"), kind: "warn", advice };
    return { text: sentence("link.good"), kind: "good", advice: "" };
}

/** When the page asks again by itself; empty where it does not. @param {?number} at on the page's clock, as `now` */
export function untilRetry(at, now) {
    if (at === null) return "";
    const left = Math.max(1, Math.ceil((at - now) / 1_000));
    if (left > 90) return sentence("again.minutes", { count: Math.ceil(left / 60) });
    return sentence("again.seconds", { count: left });
}

/** What the button says that loads the page anew, where that may help. */
const SENSOR_TROUBLES = { denied: "sensor.again", absent: "again.load", silent: "again.load", insecure: null };

/** @returns {?{title: string, text: string, again: ?string}} what the sensor lacks; null where nothing is wrong */
export function sensorTrouble(permission) {
    const again = SENSOR_TROUBLES[permission];
    if (again === undefined) return null;
    const [title, text] = [sentence(`sensor.${permission}`), sentence(`sensor.${permission}Text`)];
    return { title, text, again: again && sentence(again) };
}
