// SPDX-License-Identifier: Apache-2.0
/* For a difference: how much a node changed, in amounts or in shares of each side: runs may differ in length. */
import { groupFrames } from './groups.js';
import { MINE } from '../lib/owners.js';
import { ROOT, frameOwner, stringAt } from './profile.js';

/** @typedef {import('./calltree.js').Sums} Sums */

/** What the graph of a difference shows. @typedef {'before' | 'change' | 'after'} Side */

/**
 * Both sides of a graph, and what 100 % of a change is: all that grew or all that shrank, whichever is larger.
 * @typedef {object} Sides
 * @property {Sums} before
 * @property {Sums} after
 * @property {number} scale  what a value before counts, so that shares are compared and not amounts; else 1
 * @property {number} most
 */

/**
 * @param {Sums} before
 * @param {Sums} after
 * @param {boolean} shares
 * @returns {Sides}
 */
export function sidesOf(before, after, shares) {
    const scale = shares && before.total[ROOT] > 0 ? after.total[ROOT] / before.total[ROOT] : 1;
    let grown = 0;
    let shrunk = 0;
    after.self.forEach((value, node) => {
        const change = value - before.self[node] * scale;
        if (change > 0) grown += change;
        else shrunk -= change;
    });
    return { before, after, scale, most: Math.max(grown, shrunk) };
}

/**
 * Step of a change, by its share of all that changed: under 2 % none, under 10 %, under 33 %, more.
 * @param {Sides} sides
 * @param {number} node
 * @returns {number} -3 to 3
 */
export function changeStep({ before, after, scale, most }, node) {
    const change = after.total[node] - before.total[node] * scale;
    const share = most > 0 ? Math.abs(change) / most : 0;
    const step = share < 0.02 ? 0 : share < 0.1 ? 1 : share < 0.33 ? 2 : 3;
    return change < 0 ? -step : step;
}

/** What each node has more, or less, with all below it. @param {Sides} sides */
export const changesOf = ({ before, after, scale }) =>
    after.total.map((value, node) => value - before.total[node] * scale);

/**
 * The larger of both sides for each node, so that what is gone has a place, too; a node holds what is below it.
 * @param {import('./graph.js').Graph} graph
 * @param {Sums} before
 * @param {Sums} after
 * @returns {Sums}
 */
export function largerOf({ count, parent }, before, after) {
    const self = after.self.map((value, node) => Math.max(value, before.self[node]));
    const total = self.slice();
    for (let n = count - 1; n > 0; n--) total[parent[n]] += total[n];
    return { ...after, self, total };
}

/**
 * What a function has on both sides.
 * @typedef {object} Growth
 * @property {number} node    of the profile's tree, where most of it is; ROOT = it has no function
 * @property {number} before
 * @property {number} after
 */

/** A comprehension counts for the function that has it: capture/model/owner.c, pr_is_comprehension. */
const COMPREHENSION = /<(\w+comp|genexpr)>$/;

/**
 * Which frames amounts count for: those of my code, but no comprehensions.
 * @param {import('./profile.js').Profile} profile
 * @returns {Uint8Array} [frame]
 */
function ownFrames({ frames, strings }) {
    const isOwn = new Uint8Array(frames.count);
    for (let f = 0; f < frames.count; f++)
        if (frameOwner(frames.kind[f]) === MINE)
            isOwn[f] = COMPREHENSION.test(stringAt(strings, frames.function[f])) ? 0 : 1;
    return isOwn;
}

/**
 * The functions whose amounts differ. A library counts towards the user's own function that called it, as in the
 * program's table.
 * @param {import('./profile.js').Profile} profile
 * @param {Float64Array} before       [fact]
 * @param {Float64Array} after        [fact]
 * @param {Uint8Array | null} wanted  [fact]
 * @returns {Growth[]}
 */
export function growthOf(profile, before, after, wanted) {
    const { tree, facts } = profile;
    const { group, first } = groupFrames(profile, 'function');
    const nowhere = first.length;
    const [from, to, most] = [0, 1, 2].map(() => new Float64Array(nowhere + 1));
    const place = new Uint32Array(nowhere + 1);
    const own = new Uint32Array(tree.count);
    const isOwn = ownFrames(profile);
    for (let n = ROOT + 1; n < tree.count; n++)
        own[n] = !tree.smaller[n] && isOwn[tree.frame[n]] ? n : own[tree.parent[n]];
    for (let i = 0; i < facts.count; i++) {
        if (wanted && !wanted[i]) continue;
        const node = own[facts.leaf[i]] || facts.leaf[i];
        const isNowhere = node === ROOT || tree.smaller[node] > 0;
        const g = isNowhere ? nowhere : group[tree.frame[node]];
        from[g] += before[i];
        to[g] += after[i];
        if (isNowhere || after[i] + before[i] <= most[g]) continue;
        most[g] = after[i] + before[i];
        place[g] = node;
    }
    const list = /** @type {Growth[]} */ ([]);
    for (let g = 0; g <= nowhere; g++)
        if (from[g] !== to[g]) list.push({ node: place[g], before: from[g], after: to[g] });
    return list;
}

/**
 * The largest change first; in amounts, or in shares of each side.
 * @param {Growth[]} list
 * @param {(one: Growth) => number} changeBy
 */
export const sortGrowth = (list, changeBy) =>
    list.slice().sort((a, b) => Math.abs(changeBy(b)) - Math.abs(changeBy(a)));
