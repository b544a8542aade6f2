// SPDX-License-Identifier: Apache-2.0
/* Of a difference: how much a node changed, in amounts or in shares of each side: runs may differ in length. */
import { ROOT } from './profile.js';

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
