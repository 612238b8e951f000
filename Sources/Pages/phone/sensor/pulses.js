// Short motions that the host recognises as gestures, for players who press a button instead of moving.
//
// The host finds gestures in motion alone (Sources/InputMerge/Gestures), so a button plays the motion: each pulse says
// what the phone would feel, from the way it is held. Buttons that play are marked in the samples' `buttons`: nothing
// that was made by a button passes for a movement.

const { PI, sin } = Math;

/**
 * What a phone feels at a moment of a pulse.
 * @typedef {{force: number[], rate: number[]}} Feeling in the device's axes: specific force in g, rotation rate in rad/s
 * @typedef {object} Pulse
 * @property {string} gesture as events name it
 * @property {string} key that plays it on a virtual phone
 * @property {number} duration s
 * @property {(t: number, up: number[]) => Feeling} feel `up`: unit vector away from the earth as the phone is held
 */

const add = (a, b, scale = 1) => a.map((value, axis) => value + scale * b[axis]);
const times = (a, scale) => a.map((value) => value * scale);
const none = [0, 0, 0];
/** From 0 to 1 and back to 0 within `duration`. */
const arch = (t, duration) => (t < 0 || t > duration ? 0 : sin((PI * t) / duration));

/** `up` as it looks from a device that has turned about one of its axes. */
export function turned(up, axis, angle) {
    const [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    const result = [...up];
    result[a] = up[a] * Math.cos(angle) + up[b] * Math.sin(angle);
    result[b] = up[b] * Math.cos(angle) - up[a] * Math.sin(angle);
    return result;
}

/** Turns about an axis by `angle` and back; `rate` is the speed of either way, in rad/s. */
function thereAndBack(axis, angle, out, hold, back) {
    const [start, end] = [angle / out, out + hold];
    return (t, up) => {
        const isOut = t < out;
        const isBack = t >= end && t < end + back;
        const place = isOut ? t * start : t < end ? angle : isBack ? angle * (1 - (t - end) / back) : 0;
        const rate = [0, 0, 0];
        rate[axis] = isOut ? start : isBack ? -angle / back : 0;
        return { force: turned(up, axis, place), rate };
    };
}

/** Turns about the vertical, which leaves up where it is: half a sine of `peak` rad/s. */
const spin = (peak, duration) => (t, up) => ({ force: up, rate: times(up, peak * arch(t, duration)) });

/** A push-off that the paper's jump feels along y, a flight, a landing. */
function jump(t, up) {
    const side = up[0] < 0 ? 1 : -1;
    if (t < 0.1) return { force: add(up, [(t < 0.05 ? -side : side) * 2.2, -1.2, 0]), rate: none };
    if (t < 0.42) return { force: times(up, 0.55), rate: none };
    if (t < 0.5) return { force: times(up, 1.9), rate: none };
    return { force: add(up, [0, t < 0.74 ? 0.4 : 0, 0]), rate: none };
}

/** @type {Pulse[]} in the order of the buttons; the place is the bit in `buttons` */
export const PULSES = [
    { gesture: "jump", key: "j", duration: 0.9, feel: jump },
    {
        gesture: "shake", key: "s", duration: 0.9,
        feel: (t, up) => ({ force: add(up, [t < 0.8 ? 2.2 * sin(10 * PI * t) : 0, 0, 0]), rate: none }),
    },
    { gesture: "tilt", key: "t", duration: 1.3, feel: thereAndBack(0, 0.85, 0.35, 0.5, 0.35) },
    { gesture: "twist", key: "w", duration: 2.2, feel: thereAndBack(1, 1.3, 0.4, 0.1, 1.6) },
    {
        gesture: "tap", key: "p", duration: 0.7,
        feel: (t, up) => ({ force: times(up, t >= 0.4 && t < 0.433 ? 2.2 : 1), rate: none }),
    },
    { gesture: "flick", key: "f", duration: 0.4, feel: spin(8, 0.11) },
    { gesture: "swing", key: "g", duration: 0.7, feel: spin(9, 0.5) },
    {
        gesture: "free-fall", key: "d", duration: 0.6,
        feel: (t, up) => ({ force: times(up, t < 0.25 ? 0.05 : t < 0.32 ? 1.8 : 1), rate: none }),
    },
    {
        gesture: "hold-still", key: "h", duration: 1.4,
        feel: (_, up) => ({ force: up, rate: none }),
    },
    {
        gesture: "rhythm", key: "r", duration: 3.5,
        feel: (t, up) => ({ force: times(up, 1 + (t < 3.2 ? 0.3 * sin(4 * PI * t) : 0)), rate: none }),
    },
];
