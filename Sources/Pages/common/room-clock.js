// What time it is in a room, as far as a page can know.

/** No greeting comes later than this, ms: the page gives its socket up before. What is further back is no lateness. */
const LATEST = 3000;

export class RoomClock {
    #offset = 0;  // The room's clock less this page's, ms.

    now() { return performance.now() + this.#offset; }

    /** What happened at this time came now. It took its time to come: the room's clock shows no less. */
    heard(at) { this.#offset = Math.max(this.#offset, at - performance.now()); }

    /** It showed this between the asking and now: two clocks drift apart, by a second in some hours. */
    read(time, askedAt) {
        this.heard(time);
        this.#offset = Math.min(this.#offset, time - askedAt);
    }

    /**
     * A greeting came. A late one takes nothing from what was known better. But where the host's clock stood still
     * meanwhile, as its machine slept, or is another one, what was known before is not asked.
     */
    greeted(at, isSame) {
        const offset = at - performance.now();
        if (!isSame || offset < this.#offset - LATEST) this.#offset = offset;
        this.heard(at);
    }
}
