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
 * @param {History} history
 * @param {{leaf: Uint32Array, end: Uint32Array}} graph  leaf of each fact, end of each subtree
 * @param {Uint8Array | null} wanted  [fact]; null = all
 * @param {number} node
 * @returns {Life}
 */
export function lifeOf({ bins, steps }, { leaf, end }, wanted, node) {
    const bytes = new Float64Array(bins.count);
    for (let fact = 0; fact < leaf.length; fact++) {
        if (leaf[fact] < node || leaf[fact] >= end[node] || (wanted && !wanted[fact])) continue;
        for (let i = steps.first[fact], before = 0; i < steps.first[fact + 1]; i++) {
            bytes[steps.bin[i]] += steps.bytes[i] - before;
            before = steps.bytes[i];
        }
    }
    for (let bin = 1; bin < bins.count; bin++) bytes[bin] += bytes[bin - 1];
    const without = { bytes: -1, bin: 0 };
    let most = 0;
    for (let bin = 0; bin < bins.count; bin++) {
        const rest = bins.peak[bin] - bytes[bin];
        if (rest > without.bytes) Object.assign(without, { bytes: rest, bin });
        most = Math.max(most, bytes[bin]);
    }
    return { bytes, most, without };
}
