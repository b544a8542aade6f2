// SPDX-License-Identifier: Apache-2.0
/*
 * Comparing: the switch of a difference between amounts and shares, which works without scripts for its tables and here
 * for the graph; and two parts of one run, the window and another one, as a separate difference.
 */
import { el, figure, listen, muted, refill, rowHead, share } from '../dom/elements.js';
import { root } from '../dom/root.js';
import { placeOf, shortPath } from '../lib/text.js';
import { arrow, count, growth, partOf, points } from '../lib/units.js';
import { sortGrowth } from '../model/change.js';
import { functionName } from '../model/graph.js';
import { ROOT, stringAt } from '../model/profile.js';
import { isSameWindow } from '../model/time.js';
import { kindOf } from './change.js';
import { NO_TIMES, plural, spanName, timesName, viewTimes } from './words.js';

/** The number of rows, and the part of the change below which a function has none. */
const MOST_ROWS = 16;
const WORTH = 0.01;
/** A longer path is cut. */
const PATH_CHARS = 60;

/** @param {import('../store/store.js').Store} store */
export function followSwitch(store) {
    const [amounts, shares] = ['diff-amount', 'diff-share'].map((id) => root.getElementById(id));
    if (!(amounts instanceof HTMLInputElement && shares instanceof HTMLInputElement)) return;
    const update = () => {
        (store.state.shares ? shares : amounts).checked = true;
    };
    for (const choice of [amounts, shares])
        listen(choice, 'change', () => store.set({ shares: shares.checked }));
    store.onChange(update);
    update();
}

/** The parts of the run that a window can be compared with. @type {[string, (window: Window) => Window][]} */
const CHOICES = [
    ['the same length before', ({ first, last }) => ({ first: Math.max(0, 2 * first - last - 1), last: first - 1 })],
    ['everything before', ({ first }) => ({ first: 0, last: first - 1 })],
    ['everything after', ({ last }) => ({ first: last + 1, last: Infinity })],
    ['another window (drag it next)', (window) => window],
];

/** @typedef {import('../model/time.js').Window} Window */
/** @typedef {import('../model/change.js').Growth} Growth */

/** "\u25b2 14.2 MiB" @param {import('../lib/units.js').Format} format @param {Growth} growth */
function changed(format, { before, after }) {
    const change = after - before;
    return el('span', { title: format.exact(change) }, arrow(change, format.short));
}

/** A cell that has an amount and a share; the switch shows one of them. @param {string} kind */
const cell = (kind, /** @type {Node} */ amount, /** @type {Node} */ ofSide) =>
    el('td', { class: kind }, el('span', { class: 'amount' }, amount), el('span', { class: 'share' }, ofSide));

/**
 * The menu after the window fields, and the panel of what changed.
 * @param {import('../store/store.js').Store} store
 * @param {Element | null} host  for the menu
 * @param {Element} place      the panel goes before it
 * @param {(node: number) => void} show  a node of the profile's tree
 * @param {boolean} [isPair]  the profile is that of two cards
 */
export function createComparison(store, host, place, show, isPair = false) {
    const { select } = store;
    const lastBin = (store.profile.history?.bins.count ?? 1) - 1;
    const menu = el('select', { 'aria-label': 'Compare the window with', onchange: choose });
    const sides = el('p', { class: 'sides' });
    const summary = el('summary');
    const body = el('tbody');
    const radio = (/** @type {string} */ id, /** @type {string} */ label) => [
        el('input', { type: 'radio', 'name': 'pr-diff', id }),
        el('label', { for: id }, label),
    ];
    const head = ['Function', 'File', 'Before', 'After', 'Change'].map((title, i) =>
        el('th', { scope: 'col', class: `${i > 1 ? 'r' : ''} ${i > 0 && i < 4 ? 'hide-s' : ''}` }, title),
    );
    const legend = el(
        'p',
        { class: 'legend' },
        'In the graph: shrank ',
        ...[0, 1, 2, 3, 4, 5, 6].map((step) => el('i', { class: `c${step}` })),
        ' grew; steps at 2, 10 and 33 % of the change; dashed: gone',
    );
    const heads = el('thead', {}, el('tr', {}, ...head));
    const table = el('table', { class: 'tbl', 'aria-labelledby': 'h-parts' }, heads, body);
    const details = el('details', { open: true }, summary, el('div', { class: 'tblwrap' }, table));
    const panel = el(
        'section',
        { class: 'panel difference', 'aria-labelledby': 'h-parts', hidden: true },
        el('div', { class: 'head' }, el('div', {}, el('h2', { id: 'h-parts' }, 'What changed'), sides)),
        ...radio('diff-amount', 'Amounts'),
        ...radio('diff-share', 'Shares of each part'),
        legend,
        details,
    );
    host?.append(menu);
    if (isPair) place['after'](panel);
    else place['before'](panel);

    function choose() {
        const { window } = store.state;
        const [, part] = CHOICES[Number(menu.value)] ?? [];
        const { first, last } = (window && part?.(window)) ?? { first: 0, last: -1 };
        store.set({ against: first <= last ? { first, last: Math.min(last, lastBin) } : null });
    }

    function updateMenu() {
        const { window, against } = store.state;
        menu.hidden = !window;
        if (!window) return;
        const compared = select.against();
        const title = compared
            ? `compared with ${timesName(store, compared)}`
            : isSameWindow(window, against)
              ? 'now drag the other window'
              : 'Compare with\u2026';
        refill(
            menu,
            el('option', { value: '' }, title),
            ...CHOICES.map(([name, part], i) => {
                const { first, last } = part(window);
                return el('option', { value: i, disabled: first > Math.min(last, lastBin) }, name);
            }),
            ...(against ? [el('option', { value: 'none' }, 'nothing')] : []),
        );
    }

    function updatePanel() {
        const against = select.against();
        const base = select.baseSums()?.total[ROOT];
        panel.hidden = (!against && !isPair) || select.order() === 'time';
        if (panel.hidden) return;
        const isKnown = base !== undefined && (isPair || select.baseMetric() !== null);
        sides.textContent = !against
            ? ''
            : isKnown
            ? `Before: ${timesName(store, against)}, after: ${spanName(store)}`
            : NO_TIMES;
        sides.title = viewTimes(store);
        details.hidden = !isKnown;
        if (!isKnown) return;
        const whole = { node: ROOT, before: base, after: select.sums().total[ROOT] };
        const format = select.format();
        const change = el('b', { class: kindOf(whole.after - whole.before) }, changed(format, whole));
        const percent = partOf(format, whole.after - base, base);
        refill(
            summary,
            figure(format, base),
            ' before, ',
            figure(format, whole.after),
            ' after: ',
            change,
            ' ',
            el('span', { title: percent }, growth(base, whole.after)),
        );
        refill(body, ...rowsOf(whole));
    }

    /** @param {Growth} whole */
    function rowsOf(whole) {
        const shift = (/** @type {Growth} */ { before, after }) =>
            (whole.after ? after / whole.after : 0) - (whole.before ? before / whole.before : 0);
        const amount = (/** @type {Growth} */ { before, after }) => after - before;
        const by = store.state.shares ? shift : amount;
        const list = sortGrowth(select.growth(), by);
        const total = list.reduce((sum, one) => sum + Math.abs(by(one)), 0);
        const worth = list.filter((one) => Math.abs(by(one)) >= WORTH * total).length;
        const shown = list.slice(0, Math.min(worth, MOST_ROWS));
        const others = list.slice(shown.length);
        const rows = shown.map((one) => rowOf(one, whole, shift(one), nameOf(one.node)));
        if (!others.length) return rows;
        const rest = { node: ROOT, before: 0, after: 0 };
        for (const one of others) {
            rest.before += one.before;
            rest.after += one.after;
        }
        const words = `${count(others.length)} more ${plural(others.length, 'function')}`;
        return rows.concat(rowOf(rest, whole, shift(rest), muted(words)));
    }

    /** @param {number} node */
    function nameOf(node) {
        if (node === ROOT) return muted('without a function');
        const name = functionName(store.profile, store.profile.tree.frame[node]);
        return el('button', { title: `${name}, show in the graph`, onclick: () => show(node) }, name);
    }

    /**
     * @param {Growth} one
     * @param {Growth} whole
     * @param {number} shift  of its share, 0 to 1
     * @param {Node} name
     */
    function rowOf(one, whole, shift, name) {
        const format = select.format();
        const { frames, strings, tree } = store.profile;
        const file = one.node === ROOT ? '' : stringAt(strings, frames.file[tree.frame[one.node]]);
        const from = partOf(format, one.before, whole.before);
        const to = partOf(format, one.after, whole.after);
        return el(
            'tr',
            {},
            rowHead(name),
            el('td', { class: 'mono hide-s', title: file }, shortPath(placeOf({ file, line: 0 }), PATH_CHARS)),
            cell('r hide-s', figure(format, one.before), share(format, one.before, whole.before)),
            cell('r hide-s', figure(format, one.after), share(format, one.after, whole.after)),
            cell(
                `r ${kindOf(store.state.shares ? shift : one.after - one.before)}`,
                changed(format, one),
                el('span', { title: `from ${from} to ${to}` }, points(shift * 100)),
            ),
        );
    }

    const update = () => {
        updateMenu();
        updatePanel();
    };
    store.onChange((changes) => {
        if (changes.has(/* @__KEY__ */ 'query') && changes.size === 1) return;
        update();
    });
    return { update };
}
