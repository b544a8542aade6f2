// SPDX-License-Identifier: Apache-2.0
/* Words that several views say. */

/** Names of owners, by number; also of the runner and of smaller frames. */
export const OWNER_NAMES = ['my code', 'library', 'standard library', 'native', 'kernel', 'runner', 'smaller frames'];

/**
 * Whose code a frame is; the root and threads are nobody's.
 * @param {import('../model/graph.js').Label} label
 */
export const ownerName = ({ owner, extra }) => (extra && extra.what !== 'runner' ? '' : OWNER_NAMES[owner]);

/** The same, short, for rows. */
export const OWNER_SHORT = ['my code', 'library', 'stdlib', 'native', 'kernel', 'runner', 'smaller frames'];

/** What the total of a view is, behind the number: "4.61 GiB heap at its peak". */
const VIEW_NAMES = /** @type {Record<string, string>} */ ({
    peak: 'in the heap at its peak',
    leaked: 'not freed at the end',
    temporary: 'in allocations freed before the next one',
    allocated: 'allocated in the whole run',
});

/** @param {import('../model/profile.js').Metric} metric */
export const viewName = (metric) => VIEW_NAMES[metric.name] ?? metric.title;

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (n, one, many = `${one}s`) => (n === 1 ? one : many);
