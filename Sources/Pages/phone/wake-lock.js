/** After so long without the room, in ms, nobody holds a phone up for it any more. */
const LONGEST = 600_000;

/** Whether a session plays, or comes back by itself soon: a phone that goes dark meanwhile does not. */
export function keepsScreenOn({ trouble, retryAt, lostAt }) {
    return (trouble === null || retryAt !== null) && (lostAt === null || performance.now() - lostAt < LONGEST);
}

/** Keeps the screen on while somebody plays and the page is seen; browsers take the lock away whenever it is hidden. */
export class WakeLock {
    isWanted = false;
    /** @type {?WakeLockSentinel} */
    lock = null;

    /** @param {(isHeld: boolean) => void} changed hears whether the screen stays on, for as long as it is wanted */
    constructor(changed) { this.changed = changed; }

    /** @param {boolean} isWanted whether somebody plays */
    want(isWanted) {
        if (isWanted === this.isWanted) return;
        this.isWanted = isWanted;
        if (isWanted) this.hold(); else this.release();
    }

    /** The page is seen again. */
    resume() { if (this.isWanted) this.hold(); }

    async hold() {
        if (this.lock) return;
        try {
            const lock = await navigator.wakeLock.request("screen");
            if (!this.isWanted || this.lock) return lock.release();
            this.lock = lock;
            lock.addEventListener("release", () => this.lose(lock));
            this.changed(true);
        } catch {
            // Not to be had, or not while the battery is low: the page says to touch the screen now and then.
            this.changed(false);
        }
    }

    release() {
        const { lock } = this;
        this.lock = null;
        lock?.release();
    }

    /** The browser took it. */
    lose(lock) {
        if (this.lock !== lock) return;
        this.lock = null;
        this.changed(false);
    }
}
