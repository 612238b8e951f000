// Asking for the motion sensors, which only a tap may do.

/** Who has not answered for so long, in ms, plays by buttons meanwhile: some browsers show no question. */
const PATIENCE = 20_000;

/** @typedef {"granted" | "denied" | "absent" | "insecure"} Permission */

/**
 * To be called first thing in the tap's handler: iOS shows its question only then, and refuses without one.
 * @returns {Promise<Permission>}
 */
export async function askForMotion(window = globalThis) {
    if (!window.isSecureContext) return "insecure";
    if (!window.DeviceMotionEvent) return "absent";
    const kinds = [window.DeviceMotionEvent, window.DeviceOrientationEvent].filter(Boolean);
    try {
        // All are asked before anything is awaited.
        const answers = kinds.map((kind) => (kind.requestPermission ? kind.requestPermission() : "granted"));
        const [motion] = await Promise.all(answers);
        return motion === "granted" ? "granted" : "denied";
    } catch {
        return "denied";
    }
}

/** @param {Promise<Permission>} asked @returns {Promise<Permission>} the answer, or "absent" where none comes in time */
export const answerInTime = (asked) =>
    Promise.race([asked, new Promise((resolve) => { setTimeout(resolve, PATIENCE, "absent"); })]);
