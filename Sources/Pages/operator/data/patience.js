// Keeps a passing trouble off the page: what mends itself within two seconds is no matter for people.

import { kindOf } from "./same-trouble.js";

const POLLS = 3;

export class Patience {
    #seen = new Map();

    /**
     * Each peer's faults of a kind that stood in the last three polls, in its order; their figures may change.
     * @param {{controller: string, faults: import("./same-trouble.js").Fault[]}[]} peers
     */
    standing(peers) {
        const seen = new Map();
        const standing = peers.map(({ controller, faults }) => faults.filter((fault) => {
            const key = `${controller} ${kindOf(fault)}`;
            seen.set(key, (this.#seen.get(key) ?? 0) + 1);
            return seen.get(key) >= POLLS;
        }));
        this.#seen = seen;
        return standing;
    }
}
