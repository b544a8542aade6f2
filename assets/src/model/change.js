// SPDX-License-Identifier: Apache-2.0
/* Of a difference: how much a node changed, in amounts or in shares of each side, so that long and short runs compare. */
import { changeStep } from '../lib/colour.js';
import { ROOT } from './profile.js';

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
