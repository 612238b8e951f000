// How fast a page asks: never so that it is refused.

/**
 * Begins what it is given in its order: at most `perSecond` in any second, and `atOnce` that are not done, as what a network
 * holds back arrives all at once. What is more waits for its turn, `waiting` of them, each `patience` ms at most: then it is
 * never begun, and fails with what `late` makes.
 */
export class Pace {
    #limits;
    #waiting = [];
    #underway = 0;
    #begun = [];  // When each of the last second was begun, ms.
    #timer = 0;

    /** @param {{ perSecond: number, atOnce: number, waiting: number, patience: number, late: () => Error }} limits */
    constructor(limits) { this.#limits = limits; }

    /** Whether as many wait as may. */
    get isFull() { return this.#waiting.length >= this.#limits.waiting; }

    /**
     * Begins it now or in its turn, and answers as it does. One that `isPatient` waits for people, and keeps none behind it.
     * @template T @param {() => Promise<T>} job @returns {Promise<T>}
     */
    run(job, isPatient = false) {
        return new Promise((resolve, reject) => {
            const one = { job, share: isPatient ? 0 : 1, resolve, reject };
            one.timer = setTimeout(() => this.#giveUp(one), this.#limits.patience);
            this.#waiting.push(one);
            this.#goOn();
        });
    }

    #giveUp(one) {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        one.reject(this.#limits.late());
    }

    #goOn() {
        clearTimeout(this.#timer);
        const { perSecond, atOnce } = this.#limits;
        while (this.#begun[0] <= performance.now() - 1000) this.#begun.shift();
        while (this.#waiting.length && this.#begun.length < perSecond && this.#underway < atOnce) {
            const { job, share, resolve, reject, timer } = this.#waiting.shift();
            clearTimeout(timer);
            this.#begun.push(performance.now());
            this.#underway += share;
            job().then(resolve, reject).finally(() => {
                this.#underway -= share;
                this.#goOn();
            });
        }
        if (!this.#waiting.length || this.#begun.length < perSecond) return;
        this.#timer = setTimeout(() => this.#goOn(), this.#begun[0] + 1000 - performance.now());
    }
}
