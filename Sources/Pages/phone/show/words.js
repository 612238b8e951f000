// The state of things in plain words.

/** @type {Object<string, string>} */
const STATES = {
    connecting: "Connecting…",
    asking: "Asking for a seat…",
    waiting: "Waiting for the host to let you in…",
    reconnecting: "Host gone: reconnecting…",
    paused: "Paused",
};

/**
 * How the connection is, as its player feels it.
 * @param {import("../session.js").Session} session
 * @returns {{text: string, kind: "good" | "warn" | "bad" | "muted", advice: string}}
 */
export function connectionInWords(session, now) {
    if (!session.isSeated) {
        const isLost = session.state === "reconnecting";
        return {
            text: STATES[session.state] ?? "", kind: isLost ? "bad" : "muted",
            advice: isLost ? "Your seat is kept for a while. Stay near the Wi-Fi." : "",
        };
    }
    const { link } = session;
    const silence = now - link.heardAt;
    // The host acknowledges five times a second: what waits longer is late on its way.
    const late = Math.max(link.delay.smooth, ...link.streams.map((stream) => stream.waiting(now) - 250));
    if (silence > 1_000) {
        return { text: `No answer for ${Math.round(silence / 1_000)} s`, kind: "bad", advice: "Stay near the Wi-Fi." };
    }
    if (late > 400) {
        return { text: "Slow connection", kind: "bad", advice: `Your moves arrive ${seconds(late)} s late.` };
    }
    if (late > 120) {
        return { text: "Fair connection", kind: "warn", advice: `Your moves arrive ${seconds(late)} s late.` };
    }
    return { text: "Good connection", kind: "good", advice: "" };
}

/** When the page asks again by itself; empty where it does not. @param {number | null} at on the page's clock, as `now` */
export function untilRetry(at, now) {
    if (at === null) return "";
    const left = Math.max(1, Math.ceil((at - now) / 1_000));
    return `This page tries again by itself in ${left > 90 ? `${Math.ceil(left / 60)} min` : `${left} s`}.`;
}

const seconds = (time) => (time / 1_000).toFixed(1);

/** @type {Object<string, {title: string, text: string, canAsk?: boolean}>} what the sensor lacks */
export const SENSOR_TROUBLE = {
    denied: {
        title: "No motion permission",
        text: "You can play with the buttons below. To play by moving, load the page again and allow motion when your "
            + "phone asks; on an iPhone close the tab first.",
        canAsk: true,
    },
    absent: {
        title: "No motion sensor", text: "This device does not report motion. You can play with the buttons below.",
    },
    insecure: {
        title: "This page is not secure",
        text: "Phones give motion only to pages that begin with https. Scan the QR code again; until then you can play "
            + "with the buttons below.",
    },
};
