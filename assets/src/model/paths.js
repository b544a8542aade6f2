// SPDX-License-Identifier: Apache-2.0
/* What a function holds over all the paths that lead to it: one box of a graph is only one of them. */
import { inParts } from '../lib/slices.js';
import { focusOf } from './graph.js';
import { ROOT } from './profile.js';
import { findingOutermost } from './turn.js';

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./graph.js').Graph} Graph */

/**
 * @typedef {object} Paths
 * @property {number} count    frames of the function that are not below another one of it
 * @property {number} total    what they hold with all that they called; recursion counts once
 * @property {number} self     what they hold by themselves
 * @property {number} many     what they counted with all that they called
 * @property {number} own      what they hold without what other code of the user's own holds below them
 * @property {number} ownHere  the part of that in and below one of them
 */

/**
 * @param {Profile} profile
 * @param {Graph} graph  as it was called
 * @param {import('./calltree.js').Sums} sums
 * @param {{node: number, frame: number, lines: boolean}} wanted  the function of a frame, and one node of it
 * @param {Uint32Array} nearest  [node] the innermost of the user's own frames at or above it; ROOT = none
 * @returns {Generator<undefined, Paths>}
 */
export function* summingPaths(profile, graph, { self, total, totalCount }, { node, frame, lines }, nearest) {
    const isWanted = focusOf(profile, { focus: frame, lines });
    const found = yield* findingOutermost(graph, isWanted);
    const paths = { count: 0, total: 0, self: 0, many: 0, own: 0, ownHere: 0 };
    yield* inParts(ROOT + 1, graph.count, (from, to) => {
        for (let n = from; n < to; n++) {
            if (found[n] === n && total[n] > 0) {
                paths.count++;
                paths.total += total[n];
                paths.many += totalCount[n];
            }
            if (!found[n] || self[n] <= 0) continue;
            if (isWanted(graph.frame[n])) paths.self += self[n];
            if (!nearest[n] || !isWanted(graph.frame[nearest[n]])) continue;
            paths.own += self[n];
            if (n >= node && n < graph.end[node]) paths.ownHere += self[n];
        }
    });
    return paths;
}

/**
 * For each node the innermost one at or above it whose frame counts; ROOT = none.
 * @param {Graph} graph
 * @param {Uint8Array} counts  [frame]
 * @returns {Generator<undefined, Uint32Array>}
 */
export function* findingInnermost({ count, parent, frame }, counts) {
    const nearest = new Uint32Array(count);
    yield* inParts(ROOT + 1, count, (from, to) => {
        for (let n = from; n < to; n++) nearest[n] = counts[frame[n]] ? n : nearest[parent[n]];
    });
    return nearest;
}
