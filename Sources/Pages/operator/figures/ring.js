// A bounded memory: the newest so many rows of numbers, so that a page that is open for days stays as small as it was.

export class Ring {
    #rows;
    #next = 0;

    /** @param {number} capacity rows; @param {number} width numbers in each */
    constructor(capacity, width) {
        this.capacity = capacity;
        this.width = width;
        this.count = 0;
        this.#rows = new Float64Array(capacity * width);
    }

    push(...row) {
        this.#rows.set(row.slice(0, this.width), this.#next * this.width);
        this.#next = (this.#next + 1) % this.capacity;
        this.count = Math.min(this.count + 1, this.capacity);
    }

    /** The number in a column of the row that is `age` rows old: 0 is the newest. */
    at(age, column) {
        const place = (this.#next - 1 - age + 2 * this.capacity) % this.capacity;
        return this.#rows[place * this.width + column];
    }
}
