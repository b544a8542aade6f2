// SPDX-License-Identifier: Apache-2.0
/* The frame to look at first. */
import { MINE } from '../lib/owners.js';
import { deepestOfMost, heaviestChildren, heaviestNode } from './calltree.js';
import { GROUPS, ownerOf } from './graph.js';
import { ROOT, ownerOfKind } from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./graph.js').Graph} Graph */

/** Whether frames are the user's. @param {Profile} profile */
export const hasOwn = ({ frames }) => frames.kind.some((kind) => ownerOfKind(kind) === MINE);

/**
 * What a phone shows first: the functions of the user's own code as rows, where there are any; a graph is too narrow.
 * @param {Profile} profile
 * @param {import('./state.js').State} first
 * @returns {import('./state.js').State}
 */
export function onPhone(profile, first) {
    return profile.facts.count > 1 && hasOwn(profile) ? { ...first, view: 'tree', hide: Object.keys(GROUPS) } : first;
}

/**
 * The frame of a node; null where it has none of its own.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {number} node
 */
export const frameOf = ({ frames }, { frame, smaller }, node) =>
    node !== ROOT && frame[node] < frames.count && !smaller[node] ? frame[node] : null;

/**
 * The frame of the user's own code on the heaviest path that keeps most for itself and for libraries; if that path has
 * none, the heaviest one elsewhere. Where callers are below, it is the frame that holds most itself.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {import('./calltree.js').Totals} sums
 * @param {import('./state.js').Order} order
 * @returns {number} node
 */
export function heaviestOfMine(profile, graph, sums, order) {
    const isMine = (/** @type {number} */ node) => ownerOf(profile, graph, node) === MINE;
    const [first] = heaviestChildren(graph, sums, ROOT, 1);
    if (!first || order === 'callers') return first ?? ROOT;
    const mine = /** @type {number[]} */ ([]);
    for (let node = first; node; [node] = heaviestChildren(graph, sums, node, 1)) {
        if (isMine(node)) mine.push(node);
    }
    const kept = mine.map((node, i) => sums.total[node] - (i + 1 < mine.length ? sums.total[mine[i + 1]] : 0));
    const best = mine[kept.indexOf(kept.reduce((a, b) => Math.max(a, b), 0))] ?? ROOT;
    return best || heaviestNode(sums, isMine) || deepestOfMost(graph, sums) || first;
}
