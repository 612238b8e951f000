// Keeps a passing trouble off the page: what mends itself within two seconds is no matter for people.

const POLLS = 3;

export class Patience {
    #seen = new Map();

    /**
     * Each peer's troubles that stood in the last three polls, in its order. The figures in a sentence change, so they
     * do not make it another.
     * @param {{controller: string, troubles: string[]}[]} peers @returns {string[][]}
     */
    standing(peers) {
        const seen = new Map();
        const standing = peers.map(({ controller, troubles }) => troubles.filter((text) => {
            const key = `${controller} ${text.replace(/[\d.]+( (ms|s)\b)?/g, "#")}`;
            seen.set(key, (this.#seen.get(key) ?? 0) + 1);
            return seen.get(key) >= POLLS;
        }));
        this.#seen = seen;
        return standing;
    }
}
