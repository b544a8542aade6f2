// SPDX-License-Identifier: Apache-2.0
/* Lists with a bar for each row: the panel of the selected frame, and the lists below the graph. */
import { bar, el, figure, muted, refill, rowHead, swatch } from '../dom/elements.js';
import { changeMark, kindOf } from './change.js';

/**
 * @typedef {object} Item
 * @property {string} name
 * @property {string} [suffix] after the name, in grey
 * @property {string} [title]  in full, on hover
 * @property {number} value
 * @property {number} share    length of the bar, 0 to 1
 * @property {number} owner
 * @property {number} [before]  in a difference: the change from here to the value is shown
 * @property {Node} [text]     shown instead of the value
 * @property {Node} [note]     a last column
 * @property {(() => void) | null} [go]  what a click on the name does
 */

/**
 * @param {string} labelledBy  id of its heading
 * @param {string} [className]
 */
export function createList(labelledBy, className = '') {
    const body = el('tbody');
    return {
        element: el('table', { class: `list ${className}`.trim(), 'aria-labelledby': labelledBy }, body),
        /**
         * @param {Item[]} items
         * @param {import('../lib/units.js').Format} format
         */
        fill(items, format) {
            refill(body, ...items.map((item) => row(item, format)));
        },
    };
}

/** @param {Item} item @param {import('../lib/units.js').Format} format */
function row({ name, suffix = '', title, value, share, owner, before, text, note, go }, format) {
    const words = suffix ? [name, muted(suffix)] : [name];
    const hover = title ?? name;
    const label = go
        ? el('button', { onclick: go, title: hover }, ...words)
        : el('span', { title: hover }, ...words);
    const shown = before === undefined ? figure(format, value) : changeMark(format, before, value);
    const cells = [
        rowHead(swatch(owner), label),
        el('td', { class: 'barc' }, bar(share, before === undefined ? owner : kindOf(value - before))),
        el('td', { class: 'num' }, text ?? shown),
    ];
    if (note !== undefined) cells.push(el('td', { class: 'num muted' }, note));
    return el('tr', {}, ...cells);
}
