// SPDX-License-Identifier: Apache-2.0
/*
 * The script of the index: the table that the program wrote becomes searchable and sortable. The rows stay those of the
 * page; they are only moved and hidden.
 */
import { el, icon, press } from '../dom/elements.js';
import { isDark, themeButton } from '../dom/theme.js';
import { createFilter } from './filter.js';
import { askedFor, findNeighbour } from './neighbours.js';
import { choose, fromHash, toHash } from './rows.js';
import { createTips, runsOf } from './tip.js';

/** So many rows are shown until more are asked for: a page of thousands stays quick. */
const FIRST_ROWS = 50;

/** @param {string} name @returns {HTMLElement | null} */
const mount = (name) => document.querySelector(`[data-mount="${name}"]`);

/** @param {Element} cell */
function keyOf(cell) {
    const { sort } = /** @type {HTMLElement} */ (cell).dataset;
    if (sort !== undefined) return Number(sort);
    return cell.querySelector('.none') ? null : (cell.textContent ?? '').toLowerCase();
}

/**
 * The counts become buttons that show only such runs.
 * @param {(state: string) => void} choose
 */
function createChips(choose) {
    const chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-show]')]);
    const buttons = chips.map((chip) => {
        const button = el('button', { onclick: () => choose(chip.dataset.show ?? '') }, ...chip.childNodes);
        chip.replaceChildren(button);
        return button;
    });
    return {
        /** @param {string} state */
        has: (state) => chips.some((chip) => chip.dataset.show === state),
        /** @param {string} state */
        show(state) {
            for (const [at, button] of buttons.entries()) press(button, chips[at].dataset.show === state);
        },
    };
}

/** @param {HTMLTableElement} table @param {boolean} isWhole  all rows are shown from the beginning */
function createList(table, isWhole) {
    const body = table.tBodies[0];
    const elements = [...body.rows];
    const runs = runsOf(table);
    const rows = elements.map((row) => ({
        text: `${row.textContent} ${row.cells[1].dataset.find ?? ''}`.toLowerCase(),
        keys: [...row.cells].map(keyOf),
        states: [...row.classList],
    }));
    const heads = [...(table.tHead?.rows[0].cells ?? [])];
    const count = el('span', { class: 'muted', role: 'status' });
    const field = el('input', {
        type: 'search',
        placeholder: 'Search job, run, error, source\u2026',
        'aria-label': 'Search the runs',
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: () => show({ ...view, query: field.value }),
    });
    const filter = createFilter();
    let view = fromHash(location.hash, heads.length);
    const chips = createChips((state) => show({ ...view, state: state === view.state ? '' : state }));
    if (!chips.has(view.state)) view = { ...view, state: '' };

    let placed = '';
    let order = rows.map((_, at) => at);

    /** Rows are moved only when the order changes, otherwise hidden or shown: laying out thousands is slow. */
    function place() {
        const wanted = JSON.stringify(view.order);
        if (wanted !== placed) {
            order = choose(rows, '', view.order);
            body.replaceChildren(...order.map((at) => elements[at]));
        }
        placed = wanted;
        const chosen = new Set(choose(rows, view.query, null, view.state));
        let shown = 0;
        for (const at of order) {
            const isShown = chosen.has(at) && (isWhole || shown < FIRST_ROWS);
            shown += Number(isShown);
            if (elements[at].hidden === isShown) elements[at].hidden = !isShown;
        }
        return { chosen, shown };
    }

    /** @param {number} shown @param {number} matching */
    function showMore(shown, matching) {
        const all = matching.toLocaleString('en');
        const button = el('button', { class: 'btn', onclick: showAll }, `Show all ${all}`);
        mount('more')?.replaceChildren(...(shown < matching ? [`${shown} of ${all} runs`, button] : []));
    }

    function showAll() {
        isWhole = true;
        show(view);
    }

    /** @param {typeof view} next */
    function show(next) {
        view = next;
        const { chosen, shown } = place();
        const isAll = chosen.size === elements.length;
        const cards = () => new Set([...chosen].map((at) => runs[at].card));
        filter(isAll ? null : { cards: cards(), jobs: new Set([...chosen].map((at) => runs[at].job)) });
        showMore(shown, chosen.size);
        const all = elements.length.toLocaleString('en');
        count.textContent = isAll ? '' : `${chosen.size.toLocaleString('en')} of ${all} runs`;
        mount('nothing')?.toggleAttribute('hidden', chosen.size > 0);
        chips.show(view.state);
        for (const [at, head] of heads.entries()) {
            const sorted = view.order?.column === at ? view.order : null;
            if (sorted) head.setAttribute('aria-sort', sorted.down ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
            const sign = head.querySelector('.i');
            if (sign) sign.replaceWith(icon(sorted && !sorted.down ? 'up' : 'down'));
            head.querySelector('.i')?.toggleAttribute('hidden', !sorted);
        }
        try {
            history.replaceState(null, '', `#${toHash(view)}`);
        } catch {
            // A sandbox may forbid it, or too many at once; the page works without it.
        }
    }

    /** @param {number} column */
    function sortBy(column) {
        // Numbers start with the largest, words with the first.
        const first = rows.some((row) => typeof row.keys[column] === 'number');
        const down = view.order?.column === column ? !view.order.down : first;
        show({ ...view, order: { column, down } });
    }

    const initial = heads.findIndex((head) => head.hasAttribute('aria-sort'));
    for (const [at, head] of heads.entries()) {
        const name = head.textContent ?? '';
        head.replaceChildren(el('button', { onclick: () => sortBy(at) }, name, icon('down')));
    }
    if (!view.order && initial >= 0) view = { ...view, order: { column: initial, down: true } };
    field.value = view.query;
    mount('find')?.replaceChildren(count, field);
    show(view);
    return field;
}

function createThemeButton() {
    const root = document.documentElement;
    return themeButton(() => {
        const dark = isDark(root);
        const isUsual = dark === isDark({ dataset: {} }); // as the system has it
        root.dataset['theme'] = isUsual ? (dark ? 'light' : 'dark') : '';
    });
}

/** When its run began, in ms since the epoch. @param {HTMLTableRowElement} row */
function startOf(row) {
    const cell = /** @type {HTMLElement | null} */ (row.querySelector('.start'));
    const start = Number(cell?.dataset.sort ?? NaN);
    return Number.isNaN(start) ? null : start;
}

/**
 * Goes to the run before or after the one that asks, or shows that there is none: then true.
 * @param {HTMLTableElement} table
 */
function followCard(table) {
    const asked = askedFor(location.hash);
    if (!asked) return false;
    const runs = runsOf(table);
    const { from, to } = findNeighbour(
        runs.map((run) => ({ ...run, start: startOf(run.row) })),
        asked,
    );
    if (to >= 0 && asked.way === 'compare')
        location.replace(`${runs[from].card}#against=${runs[to].card.split('/').pop()}`);
    else if (to >= 0) location.replace(runs[to].card);
    const row = runs[from]?.row;
    if (!row || to >= 0) return false;
    row.classList.add('here');
    const first = 'the first run of this job';
    const words = { next: 'the latest run of this job', previous: first, compare: first }[asked.way] ?? '';
    row.querySelector('th')?.append(el('span', { class: 'why' }, words));
    setTimeout(() => row.scrollIntoView({ block: 'center' }));
    return true;
}

function start() {
    const table = /** @type {HTMLTableElement | null} */ (mount('list'));
    const isShown = table !== null && followCard(table);
    const field = table ? createList(table, isShown) : null;
    if (table) createTips(table);
    mount('actions')?.replaceChildren(createThemeButton());
    document.addEventListener('keydown', (event) => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
        event.preventDefault();
        field?.focus();
    });
}

start();
