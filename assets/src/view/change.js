// SPDX-License-Identifier: Apache-2.0
/* A change in words and in colours: magenta and up for more, teal and down for less, in whatever shows a difference. */
import { el } from '../dom/elements.js';
import { arrow, growth, partOf, points } from '../lib/units.js';
import { changeStep } from '../model/change.js';
import { ROOT } from '../model/profile.js';

/**
 * @typedef {object} Change
 * @property {number} step     -3 shrank most, 3 grew most
 * @property {number} before
 * @property {number} after
 * @property {string} words    "\u25b2 791 MiB", or in shares "\u25b2 3.1 points"
 * @property {string} kind     "+149 %", "new", "gone"
 */

/**
 * The change of a node; null where none is shown.
 * @param {import('../store/store.js').Store} store
 * @param {import('../store/shown.js').Shown} shown
 * @param {number} node
 * @returns {Change | null}
 */
export function changeOf({ select, state }, shown, node) {
    const sides = state.side === 'change' ? shown.sides() : null;
    if (!sides) return null;
    const before = sides.before.total[node];
    const after = sides.after.total[node];
    const share = (/** @type {number} */ value, /** @type {number} */ whole) => (whole > 0 ? (100 * value) / whole : 0);
    const shift = share(after, sides.after.total[ROOT]) - share(before, sides.before.total[ROOT]);
    const words = state.shares
        ? arrow(Math.abs(shift) < 0.05 ? 0 : shift, points).replace('+', '')
        : arrow(after - before, select.format().short);
    return { step: changeStep(sides, node), before, after, words, kind: growth(before, after) };
}

/** The CSS class for what grew or shrank. @param {number} change */
export const kindOf = (change) => (change > 0 ? 'up' : change < 0 ? 'down' : '');

/**
 * "\u25b2 113 MiB", whose hover shows both sides.
 * @param {import('../lib/units.js').Format} format
 * @param {number} before
 * @param {number} after
 */
export const changeMark = (format, before, after) =>
    el(
        'span',
        { class: kindOf(after - before), title: `${partOf(format, after - before, before)}: ${growth(before, after)}` },
        arrow(after - before, format.short),
    );
