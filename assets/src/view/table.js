// SPDX-License-Identifier: Apache-2.0
/*
 * The table tab: a row for each function, line or module. Only the rows in view are elements; two spacers stand for the
 * others, so a million rows cost what thirty do.
 */
import { copyText } from '../dom/copy.js';
import { bar, el, figure, icon, ownerClass, placeLink, refill, share } from '../dom/elements.js';
import { capital, placeOf, shortPath } from '../lib/text.js';
import { count, counted, formatOf } from '../lib/units.js';
import { baseOf, functionName, nodeFor } from '../model/graph.js';
import { OWNERS } from '../lib/owners.js';
import { ROOT, stringAt } from '../model/profile.js';
import { filterRows, makeSorter, valueOf } from '../model/rows.js';
import { tableCsv } from '../model/formats.js';
import { addressOf, isOwn } from '../model/source.js';
import { parseAmount } from './amount.js';
import { OWNER_NAMES, OWNER_SHORT, plural, viewName, viewTimes } from './words.js';

/** @typedef {import('../model/rows.js').ColumnName} ColumnName */

const ROW_PX = 28;
/** Height of the scrolling part, as in the stylesheet. */
const MOST_PX = 760;
/** Rows beyond the edges, so that a scroll does not show gaps. */
const MARGIN_ROWS = 12;
/** Width of a character of a path, its margins, and the fewest characters that say something. */
const PATH = { charPx: 7.3, marginPx: 24, least: 18 };

/**
 * @typedef {object} Column
 * @property {ColumnName} name
 * @property {(store: import('../store/store.js').Store) => string} title
 * @property {string} width   class of its col element
 * @property {boolean} [right]
 * @property {'hide-s' | 'hide-m'} [hide]  class: not on a phone, not on anything narrower than a screen
 * @property {boolean} [bar]       followed by a column of bars
 */

/** @param {import('../store/store.js').Store} store */
const countTitle = (store) => capital(store.select.metric().countName ?? 'count');

/** @type {Column[]} */
const COLUMNS = [
    {
        name: 'name',
        title: (store) => ({ function: 'Function', line: 'Function', module: 'Module' })[store.state.by],
        width: 'c-fn',
    },
    {
        name: 'file',
        title: (store) => (store.state.by === 'line' ? 'File and line' : 'File'),
        width: 'c-file',
        hide: 'hide-s',
    },
    { name: 'owner', title: () => 'Owner', width: 'c-own', hide: 'hide-s' },
    { name: 'self', title: () => 'Self', width: 'c-np', right: true, bar: true },
    { name: 'total', title: () => 'Total', width: 'c-np', right: true, bar: true },
    { name: 'selfCount', title: countTitle, width: 'c-n', right: true, hide: 'hide-s' },
    { name: 'mean', title: () => 'Mean', width: 'c-n', right: true, hide: 'hide-m' },
];

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../model/graph.js').Graph, node: number) => void}} graph
 */
export function createTable(store, host, graph) {
    const { select } = store;
    const sorter = makeSorter(store.profile);
    const filter = /** @type {import('../model/rows.js').RowFilter} */ ({
        name: '',
        file: '',
        owner: -1,
        runner: false,
        least: {},
    });
    const lead = el('span');
    const sum = el('span', { class: 'push' });
    const foot = el('div', { class: 'tfoot' });
    const copy = el('button', { class: 'btn push', onclick: copyRows });
    const caption = el('caption', { class: 'vh' });
    const headers = el('tr');
    const filters = el('tr');
    const body = el('tbody');
    const before = el('tr', { class: 'gap', 'aria-hidden': 'true' }, el('td'));
    const after = el('tr', { class: 'gap', 'aria-hidden': 'true' }, el('td'));
    const cols = COLUMNS.flatMap((column) => [
        el('col', { class: classes(column.width, column.hide) }),
        ...(column.bar ? [el('col', { class: 'c-bar hide-m' })] : []),
    ]);
    const wrap = el(
        'div',
        { class: 'tblwrap', tabindex: '0', role: 'group', 'aria-label': 'Table, scrolls', onscroll: drawRows },
        el('table', { class: 'tbl' }, caption, el('colgroup', {}, ...cols), el('thead', {}, headers, filters), body),
    );
    refill(host, el('div', { class: 'crumbs' }, lead, sum), wrap, foot);
    let shown = /** @type {Uint32Array} */ (new Uint32Array());
    let pathChars = PATH.least;
    /** The rows that are elements, between the two spacers. */
    let drawn = { from: 0, to: 0 };

    filters.append(...COLUMNS.flatMap((column) => filterCells(column)));

    /** @param {Column} column */
    function filterCells(column) {
        const cell = el(
            'td',
            { class: classes('', column.hide) },
            column.name === 'owner' ? ownerFilter() : textFilter(column),
        );
        return column.bar ? [cell, el('td', { class: 'hide-m' })] : [cell];
    }

    function ownerFilter() {
        const select = el(
            'select',
            { 'aria-label': 'Owner', onchange: () => apply({ owner: Number(select.value) }) },
            el('option', { value: -1 }, 'any'),
            ...OWNERS.map((_, owner) => el('option', { value: owner }, OWNER_SHORT[owner])),
        );
        return select;
    }

    /** @param {Column} column */
    function textFilter({ name, right }) {
        const label = right ? `${name === 'selfCount' ? 'Count' : capital(name)} at least` : `${name} contains`;
        const input = el('input', {
            'aria-label': label,
            placeholder: right ? 'at least' : 'contains',
            spellcheck: 'false',
            autocomplete: 'off',
            oninput: () => {
                if (!right) {
                    apply({ [name]: input.value.trim() });
                    return;
                }
                const limit = parseAmount(input.value, name === 'selfCount' ? '' : select.metric().unit);
                input.setAttribute('aria-invalid', String(limit === null));
                const { [name]: _, ...others } = filter.least;
                apply({ least: limit === null || input.value.trim() === '' ? others : { ...others, [name]: limit } });
            },
        });
        return input;
    }

    /** @param {Partial<import('../model/rows.js').RowFilter>} change */
    function apply(change) {
        Object.assign(filter, change);
        update();
    }

    const csv = () => tableCsv(store.profile, select.rows(), chooseRows(), select.metric(), OWNER_NAMES);

    async function copyRows() {
        const done = await copyText(csv());
        refill(copy, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Not allowed here; use Save');
    }

    /** The rows that pass the filters, in their order. */
    function chooseRows() {
        const rows = select.rows();
        const { sort, descending } = store.state;
        filter.runner = !store.state.runner;
        return filterRows(store.profile, rows, sorter(rows, sort, descending), filter);
    }

    function update() {
        if (!select.isTable()) return;
        const rows = select.rows();
        shown = chooseRows();
        drawHeaders();
        describe(rows);
        drawn = { from: 0, to: 0 };
        refill(body, before, after);
        drawRows();
    }

    function drawHeaders() {
        const { sort, descending } = store.state;
        refill(
            headers,
            ...COLUMNS.flatMap((column) => {
                const { name, right, hide } = column;
                const title = column.title(store);
                const sorted = name === sort;
                const button = el('button', { onclick: () => sortBy(column) }, title);
                if (sorted) button.append(icon(descending ? 'down' : 'up'));
                const cell = el(
                    'th',
                    {
                        scope: 'col',
                        class: classes(right ? 'r' : '', hide),
                        'aria-sort': sorted ? (descending ? 'descending' : 'ascending') : null,
                    },
                    button,
                );
                return column.bar
                    ? [cell, el('th', { scope: 'col', class: 'hide-m' }, el('span', { class: 'vh' }, `${title}, bar`))]
                    : [cell];
            }),
        );
    }

    /** Numbers begin with the largest, names with A. @param {Column} column */
    function sortBy({ name, right }) {
        const again = store.state.sort === name;
        store.set({ sort: name, descending: again ? !store.state.descending : Boolean(right) });
        const place = COLUMNS.findIndex((column) => column.name === name);
        /** @type {HTMLElement | undefined} */ (headers.querySelectorAll('button')[place])?.focus();
    }

    /** @param {import('../model/rows.js').Rows} rows */
    function describe(rows) {
        const format = formatOf(select.metric().unit);
        const whole = select.sums().total[ROOT];
        const what = store.state.by;
        const title = COLUMNS.find((column) => column.name === store.state.sort)
            ?.title(store)
            .toLowerCase();
        const some = shown.length < rows.count ? ` of ${count(rows.count)}` : '';
        refill(
            lead,
            el('b', {}, count(shown.length)),
            `${some} ${plural(rows.count, what)}, sorted by ${title}`,
        );
        refill(
            sum,
            el('b', {}, figure(format, whole)),
            ' ',
            el('span', { title: viewTimes(store) }, viewName(store)),
        );
        caption.textContent = `${lead.textContent}; ${sum.textContent}`;
        let self = 0;
        for (const row of shown) self += rows.self[row];
        refill(
            foot,
            shown.length
                ? el(
                      'span',
                      {},
                      'Self total of these rows: ',
                      figure(format, self),
                      ', ',
                      share(format, self, whole, ' of the view'),
                  )
                : 'No rows match',
            copy,
        );
        refill(copy, icon('copy'), 'Copy as CSV');
    }

    /** Nothing is to be done while all that can be seen is there; what is there stays. */
    function drawRows() {
        const top = Math.max(0, wrap.scrollTop);
        const first = Math.min(shown.length, Math.floor(top / ROW_PX));
        const last = Math.min(shown.length, Math.ceil((top + MOST_PX) / ROW_PX));
        if (drawn.from <= first && last <= drawn.to && drawn.from < drawn.to) return;
        const from = Math.max(0, first - MARGIN_ROWS);
        const to = Math.min(shown.length, last + MARGIN_ROWS);
        pathChars = Math.max(
            PATH.least,
            Math.floor(((headers.children[1]?.clientWidth ?? 0) - PATH.marginPx) / PATH.charPx),
        );
        const rows = select.rows();
        const format = formatOf(select.metric().unit);
        const most = select.sums().total[ROOT];
        const draw = (/** @type {number} */ place) => drawRow(rows, shown[place], format, most);
        for (; drawn.from < drawn.to && (drawn.from < from || drawn.from >= to); drawn.from++)
            before.nextElementSibling?.remove();
        for (; drawn.from < drawn.to && drawn.to > to; drawn.to--) after.previousElementSibling?.remove();
        if (drawn.from === drawn.to) drawn = { from, to: from };
        while (drawn.from > from) before.after(draw(--drawn.from));
        while (drawn.to < to) after.before(draw(drawn.to++));
        fill(before, from);
        fill(after, shown.length - to);
    }

    /** A spacer becomes as high as the rows it stands for. @param {HTMLElement} spacer @param {number} rows */
    function fill(spacer, rows) {
        spacer.hidden = rows === 0;
        /** @type {HTMLElement} */ (spacer.firstElementChild).style.height = `${rows * ROW_PX}px`;
    }

    /**
     * @param {import('../model/rows.js').Rows} rows
     * @param {number} row
     * @param {import('../lib/units.js').Format} format
     * @param {number} whole
     */
    function drawRow(rows, row, format, whole) {
        const { frames, strings } = store.profile;
        const f = rows.frame[row];
        const owner = rows.owner[row];
        const file = stringAt(strings, frames.file[f]);
        const line = rows.by === 'line' ? frames.line[f] : 0;
        const name = rows.by === 'module' && file ? file : functionName(store.profile, f);
        const place = placeOf({ file, line });
        const address = isOwn(frames.kind[f]) ? addressOf(store.sources, file, line) : '';
        const mean = valueOf(rows, 'mean', row);
        const { countName } = select.metric();
        const node = () => nodeFor(select.graph(), baseOf(select.flat(), rows.node[row]));
        const number = (/** @type {Float64Array} */ values) =>
            el(
                'td',
                { class: 'r' },
                figure(format, values[row]),
                ' ',
                el('span', { class: 'pc' }, share(format, values[row], whole)),
            );
        const bars = (/** @type {Float64Array} */ values) =>
            el('td', { class: 'barc hide-m' }, bar(whole > 0 ? values[row] / whole : 0, owner));
        return el(
            'tr',
            { 'aria-selected': store.state.selected && node() === store.state.selected ? 'true' : null },
            el(
                'th',
                { scope: 'row' },
                el(
                    'button',
                    { title: `${name}, show in the graph`, onclick: () => showInGraph(rows.node[row]) },
                    rows.by === 'module' ? shortPath(name, pathChars) : name,
                ),
            ),
            el('td', { class: 'mono hide-s', title: place }, placeLink(address, shortPath(place, pathChars))),
            el('td', { class: 'hide-s' }, el('span', { class: `sw ${ownerClass(owner)}` }), OWNER_SHORT[owner]),
            number(rows.self),
            bars(rows.self),
            number(rows.total),
            bars(rows.total),
            el(
                'td',
                { class: 'r hide-s', title: countName && counted(rows.selfCount[row], countName) },
                countName ? count(rows.selfCount[row]) : '',
            ),
            el('td', { class: 'r hide-m' }, mean ? figure(format, Math.round(mean)) : ''),
        );
    }

    /** To the heaviest frame of the row, in the tab of its metric. @param {number} node  of the table's tree */
    function showInGraph(node) {
        const tab = store.tabs.find(({ metric }) => metric >= 0 && metric === select.metricNumber());
        if (tab) store.set({ tab: tab.name });
        graph.show(select.flat(), node);
    }

    store.onChange((changed) => {
        if (!(changed.size === 1 && (changed.has('query') || changed.has('zoom')))) update();
    });
    return {
        update,
        csv,
    };
}

/** @param {string} own @param {string | undefined} hide */
const classes = (own, hide = '') => `${own} ${hide}`.trim();
