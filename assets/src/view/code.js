// SPDX-License-Identifier: Apache-2.0
/*
 * The code of a file with what each of its lines holds: time, memory at the peak, memory that was not freed. A line
 * leads to its frame in the graph, and a frame to its line.
 */
import { bar, el, figure, icon, refill, share } from '../dom/elements.js';
import { root } from '../dom/root.js';
import { MINE } from '../lib/owners.js';
import { shortPath } from '../lib/text.js';
import { formatOf } from '../lib/units.js';
import { sumUp } from '../model/calltree.js';
import { linesOf } from '../model/code.js';
import { ROOT } from '../model/profile.js';

/** The metrics of the columns: what runs, what the peak held, what stayed. */
const MOST_COLUMNS = 3;
const PATH_CHARS = 70;

/** @typedef {{number: number, title: string}} Column  number of the metric */

/**
 * @param {import('../store/store.js').Store} store
 * @param {{show: (of: import('../model/graph.js').Graph, node: number) => void}} graph
 */
export function createCodeView(store, graph) {
    const { select, sources } = store;
    const columns = columnsOf(store);
    const file = el('select', { 'aria-label': 'File', onchange: () => open(file.value, 0) });
    const note = el('span', { class: 'muted' });
    const body = el('tbody');
    const heads = ['Line', 'Code', ...columns.map(({ title }) => title)].map((title, i) =>
        el('th', { scope: 'col', class: i > 1 ? 'r' : null }, title),
    );
    const table = el(
        'table',
        { class: 'tbl code', 'aria-label': 'Lines of the file' },
        el('thead', {}, el('tr', {}, ...heads)),
        body,
    );
    const lines = el('div', { class: 'tblwrap', tabindex: '0', role: 'group', 'aria-label': 'Code' }, table);
    const element = el('div', { class: 'codeview', hidden: true }, el('p', { class: 'files' }, file, note), lines);
    let shown = '';
    let here = 0;

    /** What the lines of a file hold in each of the columns. */
    const figuresOf = (/** @type {string} */ path) =>
        columns.map(({ number }) => {
            const metric = /** @type {import('../model/profile.js').Metric} */ (select.metricAt(number));
            const sums = sumUp(select.flat(), metric, select.wanted());
            return { format: formatOf(metric.unit), lines: linesOf(store.profile, select.flat(), sums, path), sums };
        });

    /** The place of the selected frame, if its text is in the page. */
    function selectedPlace() {
        const { selected } = store.state;
        const label = select.label(selected);
        const [ran] = select.lines(selected);
        return sources.files.some(([path]) => path === label.file)
            ? { path: label.file, line: label.line || (ran?.line ?? 0) }
            : null;
    }

    /** @param {string} path @param {number} line  to scroll to; 0 = the heaviest */
    function open(path, line) {
        const text = sources.files.find(([name]) => name === path)?.[1] ?? [];
        const figures = figuresOf(path);
        const [first] = figures.filter(({ lines: found }) => found.size);
        let heaviest = 0;
        for (const [number, { self }] of first?.lines ?? [])
            if (!heaviest || self > (first?.lines.get(heaviest)?.self ?? 0)) heaviest = number;
        shown = path;
        here = line || heaviest;
        file.value = path;
        note.textContent = first ? '' : 'Nothing in this view runs in this file.';
        refill(body, ...text.map((code, i) => rowOf(i + 1, code, figures)));
        const row = /** @type {HTMLElement | undefined} */ (body.children[here - 1]);
        if (row) lines.scrollTop = row.offsetTop - lines.clientHeight / 2;
    }

    /** @param {number} number @param {string} code @param {ReturnType<typeof figuresOf>} figures */
    function rowOf(number, code, figures) {
        const found = figures.map(({ lines: all }) => all.get(number));
        const first = found.find((line) => line !== undefined);
        const no = first
            ? el(
                  'button',
                  { title: `Line ${number}, show in the graph`, onclick: () => showLine(first.node) },
                  String(number),
              )
            : String(number);
        return el(
            'tr',
            { class: number === here ? 'here' : null },
            el('td', { class: 'no' }, no),
            el('td', { class: 'text' }, code),
            ...figures.map(({ format, sums }, i) => cellOf(format, found[i]?.total ?? 0, sums.total[ROOT])),
        );
    }

    /** @param {import('../lib/units.js').Format} format @param {number} value @param {number} whole */
    const cellOf = (format, value, whole) =>
        el(
            'td',
            { class: 'r' },
            ...(value > 0
                ? [
                      figure(format, value),
                      ' ',
                      el('span', { class: 'pc' }, share(format, value, whole)),
                      bar(whole > 0 ? value / whole : 0, MINE),
                  ]
                : []),
        );

    /** @param {number} node  of the tree of the table */
    function showLine(node) {
        store.set({ view: 'graph' });
        graph.show(select.flat(), node);
    }

    function update() {
        const isOpen = store.state.view === 'code' && !select.isTable();
        const place = selectedPlace();
        element.hidden = !isOpen;
        button.hidden = isOpen || !place;
        if (!isOpen) return;
        const path = place?.path ?? (shown || heaviestFile());
        open(path, place?.line ?? 0);
    }

    /** The file whose lines hold most in the open tab. */
    function heaviestFile() {
        const sums = sumUp(select.flat(), select.metric(), select.wanted());
        let [[best]] = sources.files;
        let most = -1;
        for (const [path] of sources.files) {
            const own = [...linesOf(store.profile, select.flat(), sums, path).values()];
            const weight = own.reduce((sum, line) => sum + line.self, 0);
            if (weight > most) [best, most] = [path, weight];
        }
        return best;
    }

    refill(file, ...sources.files.map(([path]) => el('option', { value: path }, shortPath(path, PATH_CHARS))));
    store.onChange(update);
    addLinks(store);
    const button = el(
        'button',
        {
            class: 'btn',
            title: 'The whole file, with the values of each line',
            onclick: () => store.set({ view: 'code' }),
        },
        icon('rootTop'),
        'Code',
    );
    root.querySelector('.side .acts')?.prepend(button);
    return { element, update };
}

/** @param {import('../store/store.js').Store} store @returns {Column[]} */
function columnsOf({ profile, tabs }) {
    const { metrics } = profile;
    const time = metrics.findIndex(({ unit }) => unit === 'nanoseconds');
    const named = ['peak', 'leaked'].map((name) => metrics.findIndex((metric) => metric.name === name));
    const chosen = [time, ...named].filter((number) => number >= 0);
    return (chosen.length ? chosen : [0])
        .slice(0, MOST_COLUMNS)
        .map((number) => {
            const tab = tabs.find(({ metric }) => metric === number);
            return { number, title: tab?.label ?? metrics[number].title };
        });
}

/**
 * Next to each finding that leads to the graph, a link to its code.
 * @param {import('../store/store.js').Store} store
 */
function addLinks(store) {
    for (const link of root.querySelectorAll('.findings a[data-node]')) {
        const code = el(
            'button',
            {
                class: 'link',
                onclick: () => {
                    /** @type {HTMLElement} */ (link).click();
                    store.set({ view: 'code' });
                },
            },
            'Show the code',
        );
        link['after'](' ', code);
    }
}
