// SPDX-License-Identifier: Apache-2.0
/* The columns of the table, and its headers, which sort. */
import { el, icon, refill } from '../../dom/elements.js';
import { capital } from '../../lib/text.js';
import { TOTAL_IN } from '../../model/state.js';
import { explained } from '../terms.js';

/** @typedef {import('../../store/store.js').Store} Store */

/**
 * @typedef {object} Column
 * @property {import('../../model/rows.js').ColumnName} name
 * @property {(store: Store) => string} title
 * @property {string} width   class of its col element
 * @property {boolean} [right]
 * @property {'hide-s' | 'hide-m' | 'hide-l'} [hide]  class: not on a phone, not below a desktop screen, not on a
 *     small one
 * @property {boolean} [bar]       followed by a column of bars
 * @property {ReturnType<Store['select']['others']>[number]} [other]  what it shows of another metric
 */

/** @type {Column[]} */
const COLUMNS = [
    {
        name: 'name',
        title: ({ state }) =>
            ({ 'function': 'Function', 'line': 'Function', 'file': 'File', 'package': 'Package' })[state.by],
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
        name: 'totalCount', // of calls: 'selfCount'
        title: ({ select }) => capital(select.metric().countName ?? 'count'),
        width: 'c-n',
        right: true,
        hide: 'hide-s',
    },
    { name: 'mean', title: () => 'Mean', width: 'c-n', right: true, hide: 'hide-m' },
];

/**
 * What is counted goes with the total, as in the panel of a frame; each call is a function's own.
 * @param {string | null} countName
 * @returns {'selfCount' | 'totalCount'}
 */
export const countColumn = (countName) => (countName === 'calls' ? 'selfCount' : 'totalCount');

/**
 * The columns of the table: those of the metric, then the totals of others. Samples say nothing that their time does
 * not, and a mean makes room for the metrics of other tabs.
 * @param {Store} store
 * @returns {Column[]}
 */
export function columnsOf({ select }) {
    const others = select.others();
    const { countName } = select.metric();
    const hasCount = Boolean(countName) && countName !== 'samples';
    const isShown = { 'totalCount': hasCount, 'mean': hasCount && others.length < 2 };
    return [
        ...COLUMNS.filter(({ name }) => isShown[/** @type {keyof isShown} */ (name)] ?? true).map((column) =>
            column.name === 'totalCount' ? { ...column, name: countColumn(countName) } : column,
        ),
        ...others.map((other, i) => ({
            name: /** @type {const} */ (`${TOTAL_IN}${other.tab.name}`),
            title: () => other.tab.label ?? other.metric.title,
            width: 'c-n',
            right: true,
            hide: i ? /** @type {const} */ ('hide-l') : /** @type {const} */ ('hide-m'),
            other,
        })),
    ];
}

/** @param {string} own @param {string | undefined} hide */
export const classes = (own, hide = '') => `${own} ${hide}`.trim();

/** The widths of some columns. @param {Column[]} columns */
export const createCols = (columns) =>
    columns.flatMap((column) => [
        el('col', { class: classes(column.width, column.hide) }),
        ...(column.bar ? [el('col', { class: 'c-bar hide-m' })] : []),
    ]);

/** The title of the column that the table is sorted by. @param {Store} store */
export const sortTitle = (store) =>
    (columnsOf(store).find(({ name }) => name === store.state.sort) ?? COLUMNS[4]).title(store).toLowerCase();

/** @param {Store} store */
export function createHeaders(store) {
    const element = el('tr');

    /** Numbers begin with the largest, names with A. @param {Column} column */
    function sortBy({ name, right }) {
        const again = store.state.sort === name;
        store.set({ sort: name, descending: again ? !store.state.descending : Boolean(right) });
        const place = columnsOf(store).findIndex((column) => column.name === name);
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
        /** @param {Column[]} columns */
        update: (columns) => refill(element, ...columns.flatMap(headsOf)),
        /** Pixels of the column of files. */
        fileWidth: () => element.children[1]?.clientWidth ?? 0,
    };
}
