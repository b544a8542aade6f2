// SPDX-License-Identifier: Apache-2.0
/*
 * Sorting of columns: the order of a million rows by a key, without an object for each row. A stable radix sort on 16
 * bits at a time; passes over digits that are all alike are skipped, so small numbers cost one or two.
 */

const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;

/**
 * The numbers of the rows in ascending or descending order of their keys; equal keys stay in row order.
 * @param {ArrayLike<number>} keys  integers from 0 to 2^53
 * @param {boolean} descending
 * @returns {Uint32Array}
 */
export function orderBy(keys, descending) {
    const count = keys.length;
    const sign = descending ? DIGITS - 1 : 0;
    const digit = new Uint16Array(count);
    let order = new Uint32Array(count);
    let spare = new Uint32Array(count);
    let largest = 0;
    for (let i = 0; i < count; i++) {
        order[i] = i;
        largest = Math.max(largest, keys[i]);
    }
    for (let scale = 1; scale <= largest; scale *= DIGITS) {
        const start = new Uint32Array(DIGITS + 1);
        for (let i = 0; i < count; i++) {
            digit[i] = (Math.floor(keys[i] / scale) % DIGITS) ^ sign;
            start[digit[i] + 1]++;
        }
        for (let d = 0; d < DIGITS; d++) start[d + 1] += start[d];
        for (let i = 0; i < count; i++) spare[start[digit[order[i]]]++] = order[i];
        [order, spare] = [spare, order];
    }
    return order;
}

/** A short list of the heaviest of many: a million can be put into it, one after the other, without sorting them. */
export class Heaviest {
    /**
     * @param {number} most  how many it keeps
     * @param {Float64Array} weights  of items, by number
     */
    constructor(most, weights) {
        this.most = most;
        this.weights = weights;
        this.kept = /** @type {number[]} */ ([]);
        /** What weighs no more comes after all that are kept. */
        this.least = 0;
    }

    /** Items come in ascending order; those that weigh nothing are left out. @param {number} item */
    put(item) {
        if (this.weights[item] <= this.least || this.kept.push(item) < 2 * this.most) return;
        this.least = this.weights[this.list()[this.most - 1]];
    }

    /** The heaviest first, equal ones in the order they came. */
    list() {
        const { weights, most } = this;
        this.kept.sort((a, b) => weights[b] - weights[a] || a - b);
        this.kept.length = Math.min(this.kept.length, most);
        return this.kept;
    }
}

/**
 * The rank of each string among all, so that names can be sorted as numbers. Capital letters sort next to small ones.
 * @param {import('./profile.js').Strings} strings
 * @param {(strings: import('./profile.js').Strings, i: number) => string} get
 * @returns {Uint32Array}
 */
export function rankStrings(strings, get) {
    const count = strings.at.length - 1;
    const lower = Array.from({ length: count }, (_, i) => get(strings, i).toLowerCase());
    const rank = new Uint32Array(count);
    lower
        .map((_, i) => i)
        .sort((a, b) => (lower[a] < lower[b] ? -1 : lower[a] > lower[b] ? 1 : a - b))
        .forEach((i, place) => {
            rank[i] = place;
        });
    return rank;
}
