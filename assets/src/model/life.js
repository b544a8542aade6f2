// SPDX-License-Identifier: Apache-2.0
/* What a frame holds at the peak of each time bin, and what the peak of the run would be without it. */

/** @typedef {import('./time.js').History} History */

/**
 * @typedef {object} Life
 * @property {Float64Array} bytes   [bin] that the frame, and all that it called, holds at the peak of the bin
 * @property {number} most          the highest of them
 * @property {{bytes: number, bin: number}} without  the highest heap if it held nothing, and where
 */

/**
 * Which facts are of a frame and all that it called.
 * @param {{leaf: Uint32Array, end: Uint32Array}} graph  leaf of each fact, end of each subtree
 * @param {Uint8Array | null} wanted  [fact]; null = all
 * @param {number} node
 * @returns {Uint8Array} [fact]
 */
export function factsBelow({ leaf, end }, wanted, node) {
    const below = new Uint8Array(leaf.length);
    const last = end[node];
    for (let fact = 0; fact < leaf.length; fact++)
        if (leaf[fact] >= node && leaf[fact] < last && (!wanted || wanted[fact])) below[fact] = 1;
    return below;
}

/**
 * @param {History} history
 * @param {Uint8Array} below  [fact] whether it is of the frame
 * @returns {Life}
 */
export function lifeOf({ bins, steps }, below) {
    const bytes = new Float64Array(bins.count);
    below.forEach((isOf, fact) => isOf && addSteps(bytes, steps, fact));
    const most = sumOverBins(bytes);
    const without = { bytes: -1, bin: 0 };
    for (let bin = 0; bin < bins.count; bin++) {
        const rest = bins.peak[bin] - bytes[bin];
        if (rest > without.bytes) Object.assign(without, { bytes: rest, bin });
    }
    return { bytes, most, without };
}

/**
 * Adds what a fact has from each of its bins on, less what it had before.
 * @param {Float64Array} changes  [bin]
 * @param {import('./time.js').Steps} steps
 * @param {number} fact
 */
export function addSteps(changes, { first, bin, bytes }, fact) {
    for (let i = first[fact], before = 0; i < first[fact + 1]; i++) {
        changes[bin[i]] += bytes[i] - before;
        before = bytes[i];
    }
}

/**
 * Changes become values, in place.
 * @param {Float64Array} changes  [bin]
 * @returns {number} the highest value
 */
export function sumOverBins(changes) {
    let sum = 0;
    let most = 0;
    for (let bin = 0; bin < changes.length; bin++) {
        changes[bin] = sum += changes[bin];
        most = Math.max(most, sum);
    }
    return most;
}
