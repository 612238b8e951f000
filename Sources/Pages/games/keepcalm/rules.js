// KeepCalm's rules, and nothing else: no screen, no clock, no chance but the seed's. Times: milliseconds of the game.
//
// A runner has 30 jumps and runs past an item every 3 s. Whoever is in the air as it passes takes it, for better or
// worse: jump for fruit, keep calm before poo. Each jump costs one; at 0 jumps, back on the ground, the game is over,
// and the score is the coins.
//
// What the paper leaves open was decided so: items hang at the height of a jump and are taken while they pass, for
// 150 ms before and after they are at the runner; they come into sight 4.5 s ahead; a cherry speeds the runner up, so
// that what is in sight comes sooner, while new items still come into sight every 3 s; coins can fall below 0, jumps
// cannot; who has not jumped for 60 s is asleep, and plays no more.

export const rules = {
    jumps: 30, inAir: 400, every: 3000, sight: 4500, reach: 150, fastFor: 10_000, fast: 1.5, asleepAfter: 60_000,
    /** A jump counts when it happened, however late the news of it comes; but not when it comes later than this. */
    newsWithin: 2000,
};

/** Of 100 items so many, and what they bring. */
export const items = {
    banana: { share: 80, coins: 1, jumps: 0 },
    blueberry: { share: 10, coins: 0, jumps: 1 },
    cherry: { share: 7, coins: 0, jumps: 0 },
    poo: { share: 3, coins: -10, jumps: -5 },
};

/** What the item of this number is, the same for every runner of a game. (The finalizer of MurmurHash3 shuffles.) */
export function itemKind(seed, number) {
    let hash = Math.imul(seed | 0, 0x9e3779b1) + Math.imul(number + 1, 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    let chance = (((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * 100;
    for (const [kind, { share }] of Object.entries(items)) {
        if (chance < share) return kind;
        chance -= share;
    }
    return "banana";
}

/** One runner. What it is at a time follows from the seed and the times of its jumps alone. */
export class Runner {
    constructor(seed, newsWithin = rules.newsWithin) {
        this.seed = seed;
        this.newsWithin = newsWithin;
        /** When it was made to jump, in order. */
        this.wishes = [];
        this.#begin();
    }

    #begin() {
        Object.assign(this, {
            time: 0, distance: 0, jumps: rules.jumps, coins: 0, isOver: false, isAsleep: false,
            jumpedAt: null, landsAt: null, fastUntil: null, sleepsAt: rules.asleepAfter,
            /** What is in sight: {number, kind, at (the distance where it hangs), isNear}. */
            road: [], nextItem: 0, nextWish: 0,
            /** What happened: {time, what, number}. */
            log: [],
        });
    }

    get isInAir() { return this.landsAt !== null; }
    get speed() { return this.fastUntil === null ? 1 : rules.fast; }
    /** How high it is above the ground: 0 to 1, a parabola. */
    get height() {
        const part = this.isInAir ? (this.time - this.jumpedAt) / rules.inAir : 0;
        return 4 * part * (1 - part);
    }

    /** It was made to jump at this time; that may be a while ago, and then all since is reckoned anew. */
    jump(time) {
        if (time < 0 || time < this.time - this.newsWithin) return false;
        this.wishes.push(time);
        this.wishes.sort((a, b) => a - b);
        if (time < this.time) {
            const now = this.time;
            this.#begin();
            this.step(now);
        }
        return true;
    }

    /** Lives on until this time. */
    step(time) {
        while (!this.isOver) {
            const next = this.#next();
            if (next.at > time) break;
            this.#move(Math.max(next.at, this.time));
            next.happen();
        }
        if (time > this.time) this.#move(time);
    }

    #move(time) {
        if (!this.isOver) this.distance += (time - this.time) * this.speed;
        this.time = time;
    }

    /** The first of all that can happen; of two at once the one that stands first here. */
    #next() {
        let first = { at: Infinity };
        const consider = (at, happen) => { if (at !== null && at < first.at) first = { at, happen }; };
        const whenAt = (distance) => this.time + (distance - this.distance) / this.speed;
        consider(this.nextItem * rules.every, () => this.#show());
        consider(this.fastUntil, () => { this.fastUntil = null; });
        consider(this.landsAt, () => this.#land());
        consider(this.wishes[this.nextWish] ?? null, () => { this.nextWish += 1; this.#leap(); });
        for (const item of this.road) {
            if (item.isNear) consider(whenAt(item.at + rules.reach), () => this.#pass(item));
            else consider(whenAt(item.at - rules.reach), () => this.#meet(item));
        }
        consider(this.sleepsAt, () => { this.isOver = this.isAsleep = true; });
        return first;
    }

    #show() {
        const number = this.nextItem++;
        this.road.push({ number, kind: itemKind(this.seed, number), at: this.distance + rules.sight, isNear: false });
    }

    #leap() {
        if (this.isInAir || this.jumps === 0) return;
        this.jumps -= 1;
        this.jumpedAt = this.time;
        this.landsAt = this.time + rules.inAir;
        this.sleepsAt = this.time + rules.asleepAfter;
        this.log.push({ time: this.time, what: "jump", number: this.nextWish });
        for (const item of this.road.filter((item) => item.isNear)) this.#take(item);
    }

    #meet(item) {
        item.isNear = true;
        if (this.isInAir) this.#take(item);
    }

    #take(item) {
        const { coins, jumps } = items[item.kind];
        this.coins += coins;
        this.jumps = Math.max(0, this.jumps + jumps);
        if (item.kind === "cherry") this.fastUntil = this.time + rules.fastFor;
        this.log.push({ time: this.time, what: item.kind, number: item.number });
        this.#pass(item);
    }

    #pass(item) { this.road = this.road.filter((other) => other !== item); }

    #land() {
        this.landsAt = null;
        this.isOver = this.jumps === 0;
    }
}

/** A game of several runners, each by the number of its player; together, they all drive player 1. */
export class Game {
    constructor({ seed, players, together = false, newsWithin }) {
        const numbers = together ? [1] : [...players].sort((a, b) => a - b);
        this.together = together;
        this.runners = new Map(numbers.map((number) => [number, new Runner(seed, newsWithin)]));
    }

    jump(player, time) { return this.runners.get(this.together ? 1 : player)?.jump(time) ?? false; }
    step(time) { for (const runner of this.runners.values()) runner.step(time); }
    get isOver() { return [...this.runners.values()].every((runner) => runner.isOver); }

    /** [{player, score}], the best first; equal scores in the order of the players. */
    get ranking() {
        return [...this.runners].map(([player, runner]) => ({ player, score: runner.coins }))
            .sort((a, b) => b.score - a.score || a.player - b.player);
    }
}
