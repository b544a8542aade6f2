// SPDX-License-Identifier: Apache-2.0
/* For a difference: how much a node changed, in amounts or in shares of each side: runs may differ in length. */
import { groupFrames } from './groups.js';
import { OWNERS } from '../lib/owners.js';
import { ROOT, frameOwner, stringAt } from './profile.js';

/**
 * Step of a change, by how much of the larger side it is: under 2 % none, under 10 %, under 33 %, more.
 * @param {number} before
 * @param {number} after
 * @returns {number} -3 to 3
 */
function changeStep(before, after) {
    const most = Math.max(before, after);
    const share = most > 0 ? Math.abs(after - before) / most : 0;
    const step = share < 0.02 ? 0 : share < 0.1 ? 1 : share < 0.33 ? 2 : 3;
    return after < before ? -step : step;
}

/**
 * The step of a node's change, -3 to 3; null where nothing is compared.
 * @param {{sums: () => import('./calltree.js').Sums, baseSums: () => import('./calltree.js').Sums | null}} shown
 * @param {number} node
 * @param {boolean} shares
 */
export function changeOf({ sums, baseSums }, node, shares) {
    const base = baseSums();
    if (!base) return null;
    const { total } = sums();
    const scale = shares && base.total[ROOT] > 0 ? total[ROOT] / base.total[ROOT] : 1;
    return changeStep(base.total[node] * scale, total[node]);
}

/**
 * What a function has on both sides.
 * @typedef {object} Growth
 * @property {number} node    of the profile's tree, where most of it is; ROOT = it has no function
 * @property {number} before
 * @property {number} after
 */

/** A comprehension counts for the function that has it: capture/model/owner.c, pr_is_comprehension. */
const COMPREHENSION = /^<(?:list|dict|set)comp>$|^<genexpr>$/;

/**
 * Which frames amounts count for: those of my code, but no comprehensions.
 * @param {import('./profile.js').Profile} profile
 * @returns {Uint8Array} [frame]
 */
function ownFrames({ frames, strings }) {
    const isOwn = new Uint8Array(frames.count);
    for (let f = 0; f < frames.count; f++)
        if (OWNERS[frameOwner(frames.kind[f])] === 'mine')
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
 * What grew, largest first, then what shrank, largest first; in amounts, or in shares of each side.
 * @param {Growth[]} list
 * @param {(one: Growth) => number} changeBy
 */
export const sortGrowth = (list, changeBy) =>
    list
        .slice()
        .sort(
            (a, b) =>
                Number(changeBy(b) > 0) - Number(changeBy(a) > 0) || Math.abs(changeBy(b)) - Math.abs(changeBy(a)),
        );
