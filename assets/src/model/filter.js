// SPDX-License-Identifier: Apache-2.0
/* Which facts count: a mask over them, and what a selection of them holds. */

import { finish, inParts } from '../lib/slices.js';

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
 * Leaves only the facts whose stacks pass one of the wanted frames.
 * @param {Profile} profile
 * @param {Uint8Array | null} mask  [fact]; null = all
 * @param {(frame: number) => boolean} isWanted
 * @returns {Uint8Array} [fact]
 */
export function factsThrough({ facts, tree }, mask, isWanted) {
    const passes = new Uint8Array(tree.count);
    for (let n = 1; n < tree.count; n++) passes[n] = passes[tree.parent[n]] | Number(isWanted(tree.frame[n]));
    return Uint8Array.from(facts.leaf, (leaf, fact) => (mask && !mask[fact] ? 0 : passes[leaf]));
}

/**
 * What the threads, or the allocators, hold of a subtree, largest first.
 * @param {{leaf: Uint32Array, end: Uint32Array}} graph  leaf of each fact, end of each subtree
 * @param {Float64Array} values       [fact]
 * @param {Uint8Array | null} wanted  [fact]
 * @param {{of: Uint32Array | Uint8Array, count: number}} key  of each fact, and how many there are
 * @param {number} node
 * @returns {Generator<undefined, {key: number, sum: number}[]>}
 */
export function* summingBy({ leaf, end }, values, wanted, { of: key, count }, node) {
    const sums = new Float64Array(count);
    const met = new Uint8Array(count);
    const last = end[node];
    yield* inParts(0, values.length, (from, to) => {
        for (let i = from; i < to; i++) {
            if (values[i] === 0 || leaf[i] < node || leaf[i] >= last || (wanted && !wanted[i])) continue;
            sums[key[i]] += values[i];
            met[key[i]] = 1;
        }
    });
    return Array.from(sums, (sum, k) => ({ key: k, sum }))
        .filter((part) => met[part.key])
        .sort((a, b) => b.sum - a.sum || a.key - b.key);
}

/** All of it at once. @param {Parameters<typeof summingBy>} of */
export const sumBy = (...of) => finish(summingBy(...of));
