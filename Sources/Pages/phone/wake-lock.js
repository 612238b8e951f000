/** Keeps the screen on while the page is seen; browsers take the lock away whenever it is hidden. */
export class WakeLock {
    /** @returns {Promise<boolean>} whether the screen stays on */
    async hold() {
        try {
            this.lock = await navigator.wakeLock.request("screen");
            return true;
        } catch {
            // Not to be had, or not while the battery is low: the page says to touch the screen now and then.
            return false;
        }
    }
}
