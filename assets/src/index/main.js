// SPDX-License-Identifier: Apache-2.0
/*
 * The script of the index: the table that the program wrote becomes searchable and sortable. The rows stay those of the
 * page; they are only moved and hidden.
 */
import { el, icon } from '../dom/elements.js';
import { isDark, themeButton } from '../dom/theme.js';
import { askedFor, findNeighbour } from './neighbours.js';
import { choose, fromHash, toHash } from './rows.js';

/** @param {string} name @returns {HTMLElement | null} */
const mount = (name) => document.querySelector(`[data-mount="${name}"]`);

/** @param {Element} cell */
function keyOf(cell) {
    const { sort } = /** @type {HTMLElement} */ (cell).dataset;
    if (sort !== undefined) return Number(sort);
    return cell.querySelector('.none') ? null : (cell.textContent ?? '').toLowerCase();
}

/**
 * The counts in the header become buttons that show only such runs: the list hides the others, the grid dims them.
 * @param {(state: string) => void} choose
 */
function createChips(choose) {
    const chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-show]')]);
    const buttons = chips.map((chip) => {
        const button = el('button', { onclick: () => choose(chip.dataset.show ?? '') }, ...chip.childNodes);
        chip.replaceChildren(button);
        return button;
    });
    const cells = [...document.querySelectorAll('.grid tbody td[class]')];
    return {
        /** @param {string} state */
        has: (state) => chips.some((chip) => chip.dataset.show === state),
        /** @param {string} state */
        show(state) {
            for (const [at, button] of buttons.entries())
                button.setAttribute('aria-pressed', String(chips[at].dataset.show === state));
            for (const cell of cells)
                cell.classList.toggle('dim', state !== '' && !cell.classList.contains(state));
        },
    };
}

/** @param {HTMLTableElement} table */
function createList(table) {
    const body = table.tBodies[0];
    const elements = [...body.rows];
    const rows = elements.map((row) => ({
        text: (row.textContent ?? '').toLowerCase(),
        keys: [...row.cells].map(keyOf),
        states: [...row.classList],
    }));
    const heads = [...(table.tHead?.rows[0].cells ?? [])];
    const count = el('span', { class: 'muted', role: 'status' });
    const field = el('input', {
        type: 'search',
        placeholder: 'Search name, flow, source, failed\u2026',
        'aria-label': 'Search the runs',
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: () => show({ ...view, query: field.value }),
    });
    let view = fromHash(location.hash, heads.length);
    const chips = createChips((state) => show({ ...view, state: state === view.state ? '' : state }));
    if (!chips.has(view.state)) view = { ...view, state: '' };

    let placed = '';

    /** Rows are moved only when the order changes, otherwise hidden or shown: laying out thousands is slow. */
    function place() {
        const order = JSON.stringify(view.order);
        if (order !== placed) body.replaceChildren(...choose(rows, '', view.order).map((at) => elements[at]));
        placed = order;
        const chosen = new Set(choose(rows, view.query, null, view.state));
        for (const [at, element] of elements.entries())
            if (element.hidden === chosen.has(at)) element.hidden = !chosen.has(at);
        return chosen.size;
    }

    /** @param {typeof view} next */
    function show(next) {
        view = next;
        const shown = place();
        const all = elements.length.toLocaleString('en');
        count.textContent = shown === elements.length ? '' : `${shown.toLocaleString('en')} of ${all}`;
        mount('nothing')?.toggleAttribute('hidden', shown > 0);
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
    return themeButton(() => (root.dataset['theme'] = isDark(root) ? 'light' : 'dark'));
}

/** Goes to the run before or after the one that asks, or shows that there is none. @param {HTMLTableElement} table */
function followCard(table) {
    const asked = askedFor(location.hash);
    if (!asked) return;
    const rows = [...table.tBodies[0].rows];
    const runs = rows.map((row) => ({
        card: row.querySelector('th a')?.getAttribute('href') ?? '',
        job: row.dataset.job ?? '',
        start: Number(/** @type {HTMLElement | null} */ (row.querySelector('.start'))?.dataset.sort ?? NaN),
    }));
    const { from, to } = findNeighbour(
        runs.map((run) => ({ ...run, start: Number.isNaN(run.start) ? null : run.start })),
        asked,
    );
    if (to >= 0 && asked.way === 'compare')
        location.replace(`${runs[from].card}#against=${runs[to].card.split('/').pop()}`);
    else if (to >= 0) location.replace(runs[to].card);
    const row = rows[from];
    if (!row || to >= 0) return;
    row.classList.add('here');
    const first = 'the first run of this job';
    const words = { next: 'the latest run of this job', previous: first, compare: first }[asked.way] ?? '';
    row.querySelector('th')?.append(el('span', { class: 'why' }, words));
    setTimeout(() => row.scrollIntoView({ block: 'center' }));
}

function start() {
    const table = /** @type {HTMLTableElement | null} */ (mount('list'));
    if (table) followCard(table);
    const field = table ? createList(table) : null;
    mount('actions')?.replaceChildren(createThemeButton());
    document.addEventListener('keydown', (event) => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
        event.preventDefault();
        field?.focus();
    });
}

start();
