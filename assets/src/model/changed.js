// SPDX-License-Identifier: Apache-2.0
/* Who changed: functions of a difference, by what they hold themselves. */
import { sortGrowth } from './change.js';
import { groupFrames } from './groups.js';

/** @typedef {import('./change.js').Growth} Growth */
/** @typedef {import('./change.js').Sides} Sides */

/**
 * The functions that changed most by themselves, at and below a node.
 * @param {import('./profile.js').Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {Sides} sides
 * @param {number} most
 * @param {number} top
 * @returns {Growth[]}
 */
export function changedMost(profile, { end, frame, smaller }, { before, after, scale }, most, top) {
    const { group } = groupFrames(profile, 'function');
    const all = /** @type {Map<number, Growth & {most: number}>} */ (new Map());
    for (let n = Math.max(1, top); n < end[top]; n++) {
        const size = Math.max(before.self[n] * scale, after.self[n]);
        if (frame[n] >= profile.frames.count || smaller[n] || size <= 0) continue;
        const one = all.get(group[frame[n]]) ?? { node: n, before: 0, after: 0, most: 0 };
        one.before += before.self[n];
        one.after += after.self[n];
        if (size > one.most) [one.node, one.most] = [n, size];
        all.set(group[frame[n]], one);
    }
    const by = (/** @type {Growth} */ one) => one.after - one.before * scale;
    return sortGrowth([...all.values()].filter((one) => by(one) !== 0), by).slice(0, most);
}
