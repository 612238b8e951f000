/** Two clocks drift apart by at most so much of the time that passes, where a system sets one of them slowly: 600 ppm. */
const DRIFT = 0.0006;

/**
 * How much later than the quickest of this link the host's datagrams arrive: queueing, without synchronised clocks.
 *
 * The host's clock minus ours is unknown but steady, so the least difference between arrival and sending stands for no
 * queueing at all. It rises by what the clocks may have drifted apart since: else that would be taken for queueing, more
 * with every hour. In ms.
 */
export class QueueingDelay {
    constructor() {
        this.least = Infinity;
        /** The delay of late, smoothed; rises at once, falls slowly. */
        this.smooth = 0;
    }

    /** @returns {number} the delay of this datagram */
    add(sentAt, arrivedAt) {
        const difference = arrivedAt - sentAt;
        const drift = DRIFT * Math.max(0, arrivedAt - (this.addedAt ?? arrivedAt));
        this.addedAt = arrivedAt;
        this.least = Math.min(this.least + drift, difference);
        const delay = difference - this.least;
        this.smooth = Math.max(delay, this.smooth + (delay - this.smooth) / 8);
        return delay;
    }
}
