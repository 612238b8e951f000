// Asking for the motion sensors, which only a tap may do.

/**
 * To be called first thing in the tap's handler: iOS shows its question only then, and refuses without one.
 * @returns {Promise<"granted" | "denied" | "absent" | "insecure">}
 */
export function askForMotion(window = globalThis) {
    if (!window.isSecureContext) return Promise.resolve("insecure");
    const kinds = [window.DeviceMotionEvent, window.DeviceOrientationEvent].filter(Boolean);
    if (!window.DeviceMotionEvent) return Promise.resolve("absent");
    // All are asked before anything is awaited.
    const answers = kinds.map((kind) => (kind.requestPermission ? kind.requestPermission() : "granted"));
    return Promise.all(answers).then(
        ([motion]) => (motion === "granted" ? "granted" : "denied"),
        () => "denied");
}
