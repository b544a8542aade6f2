// SPDX-License-Identifier: Apache-2.0
/* Which facts count: a mask over them, and what may be said about a selection of them. */

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * @param {Profile} profile
 * @param {Set<number> | null} threads  null = all
 * @returns {Uint8Array | null} [fact]; null = all
 */
export function factsOfThreads({ facts }, threads) {
    if (!threads) return null;
    return Uint8Array.from(facts.thread, (thread) => (threads.has(thread) ? 1 : 0));
}

/**
 * What the threads, or the allocators, hold of a subtree, the most first.
 * @param {{leaf: Uint32Array, end: Uint32Array}} graph  leaf of each fact, end of each subtree
 * @param {Float64Array} values       [fact]
 * @param {Uint8Array | null} wanted  [fact]
 * @param {Uint32Array | Uint8Array} key  [fact]
 * @param {number} node
 * @returns {{key: number, sum: number}[]}
 */
export function sumBy({ leaf, end }, values, wanted, key, node) {
    const sums = new Map();
    for (let i = 0; i < values.length; i++) {
        if (values[i] !== 0 && leaf[i] >= node && leaf[i] < end[node] && (!wanted || wanted[i]))
            sums.set(key[i], (sums.get(key[i]) ?? 0) + values[i]);
    }
    return Array.from(sums, ([k, sum]) => ({ key: k, sum })).sort((a, b) => b.sum - a.sum || a.key - b.key);
}
