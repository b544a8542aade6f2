// SPDX-License-Identifier: Apache-2.0
/* A metric as a table: a row for each function, line or file, sorted and filtered. */
import { copyText } from '../../dom/copy.js';
import { el, figure, icon, press, refill, share } from '../../dom/elements.js';
import { count } from '../../lib/units.js';
import { tableCsv } from '../../model/formats.js';
import { ROOT } from '../../model/profile.js';
import { byPackage, packageLines } from '../../model/packages.js';
import { filterRows, makeSorter } from '../../model/rows.js';
import { TOTAL_IN } from '../../model/state.js';
import { OWNER_NAMES, plural, viewName, viewTimes } from '../words.js';
import { columnsOf, createCols, createHeaders, sortTitle } from './columns.js';
import { createFilters } from './filters.js';
import { drawRow } from './row.js';
import { createVirtualRows } from './rows.js';

/** @typedef {import('../../store/store.js').Store} Store */
/** @typedef {import('../../model/rows.js').OwnColumn} OwnColumn */

/** Width of a character of a path, its margins, and the minimum useful number of characters. */
const PATH = { charPx: 7.3, marginPx: 24, least: 18 };

/** More columns leave less room for each. */
const MANY_COLUMNS = 7;

/**
 * @param {Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../../model/graph.js').Graph, node: number) => void}} graph
 */
export function createTable(store, host, graph) {
    const { select } = store;
    const sorter = makeSorter(store.profile);
    const headers = createHeaders(store);
    const filters = createFilters(store, update);
    let shown = /** @type {Uint32Array} */ (new Uint32Array());
    /** Of a table by package; null = each row is a line. */
    let lines = /** @type {import('../../model/packages.js').Line[] | null} */ (null);
    /** The packages that a person opened or closed. */
    const turned = /** @type {Map<number, boolean>} */ (new Map());
    const room = { columns: /** @type {ReturnType<typeof columnsOf>} */ ([]), pathChars: PATH.least };
    const body = createVirtualRows(
        () =>
            void (room.pathChars = Math.max(
                PATH.least,
                Math.floor((headers.fileWidth() - PATH.marginPx) / PATH.charPx),
            )),
        (place) => drawRow(store, lines?.[place] ?? { rows: select.rows(), row: shown[place] }, room, act),
    );
    const caption = el('caption', { class: 'vh' });
    const cols = el('colgroup');
    const table = el('table', { class: 'tbl', onkeydown: keydown }, caption, cols,
        el('thead', {}, headers.element, filters.element), body.element);
    const wrap = el(
        'div',
        { class: 'tblwrap', tabindex: '0', role: 'group', 'aria-label': 'Table, scrolls', onscroll: () => scroll() },
        table,
    );
    const words = createWords(store, copyRows);
    const opener = el('button', { class: 'btn', 'aria-expanded': 'false', onclick: openFilters }, 'Filters');
    filters.element.hidden = true;
    words.head.append(opener);

    function openFilters() {
        const isOpen = (filters.element.hidden = !filters.element.hidden) === false;
        opener.setAttribute('aria-expanded', String(isOpen));
        press(opener, isOpen);
        if (isOpen) filters.element.querySelector('input')?.focus();
    }

    refill(host, words.head, wrap, words.foot);

    /** Rows as the headers sort them. @param {Pick<typeof select.members, 'rows' | 'others'>} of */
    function sorted({ rows, others }) {
        const { sort, descending } = store.state;
        const other = others().find(({ tab }) => sort === `${TOTAL_IN}${tab.name}`);
        const key = other?.total ?? (sort.startsWith(TOTAL_IN) ? 'total' : /** @type {OwnColumn} */ (sort));
        const isOfSizes = rows().by === 'package' && sort === 'file';
        return { rows: rows(), order: sorter(rows(), isOfSizes ? sizes() : key, descending) };
    }

    /** How many functions the package of each row has. */
    function sizes() {
        const { rows } = select.members;
        const all = byPackage(store.profile, rows(), rows().frame.map((_, row) => row));
        return Float64Array.from(select.rows().frame, (f) => all.get(store.profile.frames.package[f])?.length ?? 0);
    }

    /** The rows that pass the filters, in their order. */
    function chooseRows() {
        const asked = select.query();
        const filter = { ...filters.get(), query: asked instanceof Error ? null : asked };
        const { rows, order } = sorted(select);
        lines =
            rows.by === 'package'
                ? packageLines(store.profile, { rows, order }, sorted(select.members), filter, turned)
                : null;
        if (!lines) return filterRows(store.profile, rows, order, filter);
        return Uint32Array.from(
            lines.filter(({ key }) => key !== undefined),
            ({ row }) => row,
        );
    }

    const csv = () =>
        tableCsv(store.profile, select.rows(), chooseRows(), select.metric(), OWNER_NAMES, select.others());

    async function copyRows() {
        words.copied(await copyText(csv()));
    }

    const scroll = () => body.scroll(wrap.scrollTop);

    function update() {
        if (!select.isTable()) return;
        shown = chooseRows();
        const before = room.columns.map(({ name }) => name).join();
        room.columns = columnsOf(store);
        if (!cols.firstChild || before !== room.columns.map(({ name }) => name).join()) {
            refill(cols, ...createCols(room.columns));
            filters.update(room.columns);
            table.classList.toggle('many', room.columns.length > MANY_COLUMNS);
        }
        headers.update(room.columns);
        caption.textContent = words.describe(shown);
        body.reset(lines?.length ?? shown.length);
        scroll();
        if (lines) table.setAttribute('role', 'treegrid');
        else table.removeAttribute('role');
    }

    /** The button of a row does this. @param {import('../../model/packages.js').Line} line */
    function act({ rows, row, key, isOpen }) {
        if (key === undefined) showInGraph(rows.node[row]);
        else turn(key, !isOpen);
    }

    /** @param {number} key @param {boolean} isOpen */
    function turn(key, isOpen) {
        const { scrollTop } = wrap;
        turned.set(key, isOpen);
        update();
        body.scroll(scrollTop);
        wrap.scrollTop = scrollTop;
        /** @type {HTMLElement | null} */ (table.querySelector(`[data-key="${key}"] button`))?.focus();
    }

    /** Arrows open and close packages, and go from row to row. @param {KeyboardEvent} event */
    function keydown(event) {
        const row = /** @type {HTMLElement} */ (event.target).closest('tbody tr');
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!lines || !row) return;
        const rows = [...table.querySelectorAll('tbody tr:not(.gap)')];
        const at = rows.indexOf(row);
        const { key } = /** @type {HTMLElement} */ (row).dataset;
        const isOpen = row.ariaExpanded === 'true';
        if (step) focus(rows[at + step]);
        else if (key && event.key === (isOpen ? 'ArrowLeft' : 'ArrowRight')) turn(Number(key), !isOpen);
        else if (!key && event.key === 'ArrowLeft')
            focus(
                rows
                    .slice(0, at)
                    .filter((one) => one.hasAttribute('data-key'))
                    .at(-1),
            );
        else return;
        event.preventDefault();
    }

    /** @param {Element | undefined} row */
    const focus = (row) => /** @type {HTMLElement | null | undefined} */ (row?.querySelector('th button'))?.focus();

    /** To the heaviest frame of the row. @param {number} node  of the table's tree */
    function showInGraph(node) {
        store.set({ view: 'graph' });
        graph.show(select.flat(), node);
    }

    store.onChange((changed) => {
        if (!(changed.size === 1 && changed.has(/* @__KEY__ */ 'zoom'))) update();
    });
    return { update, csv };
}

/**
 * What is said about the rows, above and below them.
 * @param {Store} store
 * @param {() => void} onclick  copies them
 */
function createWords(store, onclick) {
    const { select } = store;
    const lead = el('span');
    const sum = el('span', { class: 'push' });
    const foot = el('div', { class: 'tfoot' });
    const copy = el('button', { class: 'btn push', onclick });

    /** @param {Uint32Array} shown @param {number} whole */
    function sumOfRows(shown, whole) {
        const { self } = select.rows();
        const format = select.format();
        const held = shown.reduce((all, row) => all + self[row], 0);
        const part = share(format, held, whole, ' of the view');
        const rest = select.withoutStack();
        const without = rest ? ['; on no stack: ', figure(format, rest)] : [];
        return el('span', {}, 'Self total of these rows: ', figure(format, held), ', ', part, ...without);
    }

    return {
        head: el('div', { class: 'crumbs' }, lead, sum),
        foot,
        /** @param {boolean} done */
        copied: (done) => refill(copy, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Cannot copy here; use Save'),
        /** @param {Uint32Array} shown  rows @returns {string} the same in one line */
        describe(shown) {
            const rows = select.rows();
            const whole = select.sums().total[ROOT];
            const some = shown.length < rows.count ? ` of ${count(rows.count)}` : '';
            const what = ` ${plural(rows.count, store.state.by)}, sorted by ${sortTitle(store)}`;
            const total = figure(select.format(), whole);
            refill(lead, el('b', {}, count(shown.length)), some + what);
            refill(sum, el('b', {}, total), ' ', el('span', { title: viewTimes(store) }, viewName(store)));
            refill(foot, shown.length ? sumOfRows(shown, whole) : 'No rows match', copy);
            refill(copy, icon('copy'), 'Copy as CSV');
            return `${lead.textContent}; ${sum.textContent}`;
        },
    };
}
