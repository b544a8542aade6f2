// SPDX-License-Identifier: Apache-2.0
/* The columns of the table, and its headers, which sort. */
import { el, icon, refill } from '../../dom/elements.js';
import { capital } from '../../lib/text.js';
import { explained } from '../terms.js';

/** @typedef {import('../../store/store.js').Store} Store */

/**
 * @typedef {object} Column
 * @property {import('../../model/rows.js').ColumnName} name
 * @property {(store: Store) => string} title
 * @property {string} width   class of its col element
 * @property {boolean} [right]
 * @property {'hide-s' | 'hide-m'} [hide]  class: not on a phone, not on anything narrower than a desktop screen
 * @property {boolean} [bar]       followed by a column of bars
 */

/** @type {Column[]} */
export const COLUMNS = [
    {
        name: 'name',
        title: ({ state }) => ({ function: 'Function', line: 'Function', file: 'File' })[state.by],
        width: 'c-fn',
    },
    {
        name: 'file',
        title: ({ state }) => (state.by === 'line' ? 'File and line' : 'File'),
        width: 'c-file',
        hide: 'hide-s',
    },
    { name: 'owner', title: () => 'Owner', width: 'c-own', hide: 'hide-s' },
    { name: 'self', title: () => 'Self', width: 'c-np', right: true, bar: true },
    { name: 'total', title: () => 'Total', width: 'c-np', right: true, bar: true },
    {
        name: 'selfCount',
        title: ({ select }) => capital(select.metric().countName ?? 'count'),
        width: 'c-n',
        right: true,
        hide: 'hide-s',
    },
    { name: 'mean', title: () => 'Mean', width: 'c-n', right: true, hide: 'hide-m' },
];

/** @param {string} own @param {string | undefined} hide */
export const classes = (own, hide = '') => `${own} ${hide}`.trim();

/** The widths of all columns. */
export const createCols = () =>
    COLUMNS.flatMap((column) => [
        el('col', { class: classes(column.width, column.hide) }),
        ...(column.bar ? [el('col', { class: 'c-bar hide-m' })] : []),
    ]);

/** The title of the column that the table is sorted by. @param {Store} store */
export const sortTitle = (store) => COLUMNS.find(({ name }) => name === store.state.sort)?.title(store).toLowerCase();

/** @param {Store} store */
export function createHeaders(store) {
    const element = el('tr');

    /** Numbers begin with the largest, names with A. @param {Column} column */
    function sortBy({ name, right }) {
        const again = store.state.sort === name;
        store.set({ sort: name, descending: again ? !store.state.descending : Boolean(right) });
        const place = COLUMNS.findIndex((column) => column.name === name);
        /** @type {HTMLElement | undefined} */ (element.querySelectorAll('button')[place])?.focus();
    }

    /** @param {Column} column */
    function headsOf(column) {
        const { sort, descending } = store.state;
        const title = column.title(store);
        const sorted = column.name === sort;
        const button = explained(el('button', { onclick: () => sortBy(column) }, title));
        if (sorted) button.append(icon(descending ? 'down' : 'up'));
        const cell = el(
            'th',
            {
                scope: 'col',
                class: classes(column.right ? 'r' : '', column.hide),
                'aria-sort': sorted ? (descending ? 'descending' : 'ascending') : null,
            },
            button,
        );
        const hidden = el('span', { class: 'vh' }, `${title}, bar`);
        return column.bar ? [cell, el('th', { scope: 'col', class: 'hide-m' }, hidden)] : [cell];
    }

    return {
        element,
        update: () => refill(element, ...COLUMNS.flatMap(headsOf)),
        /** Pixels of the column of files. */
        fileWidth: () => element.children[1]?.clientWidth ?? 0,
    };
}
