// SPDX-License-Identifier: Apache-2.0
/* A list of unsigned integers that grows, for results whose size is not known in advance. */

export class Ints {
    constructor(capacity = 1024) {
        this.count = 0;
        this.items = new Uint32Array(capacity);
    }

    /**
     * @param {number} value
     * @returns {number} its index
     */
    push(value) {
        if (this.count === this.items.length) {
            const larger = new Uint32Array(this.count * 2);
            larger.set(this.items);
            this.items = larger;
        }
        this.items[this.count] = value;
        return this.count++;
    }

    /** Removes the last one. @returns {number} */
    pop() {
        return this.items[--this.count];
    }

    /** The integers so far; valid until the next push. */
    get view() {
        return this.items.subarray(0, this.count);
    }
}

/**
 * The values at some places: a loop, as millions of calls of a function take their time.
 * @template {Uint32Array | Float64Array} T
 * @param {T} values
 * @param {Uint32Array} places
 * @returns {T}
 */
export function pick(values, places) {
    const picked = new /** @type {any} */ (values.constructor)(places.length);
    for (let i = 0; i < places.length; i++) picked[i] = values[places[i]];
    return picked;
}
