// SPDX-License-Identifier: Apache-2.0
/* The one toolbar of all tabs: search, threads, direction, what is left out, grouping of the table. */
import { el, figure, icon, press, refill } from '../dom/elements.js';
import { count, formatOf } from '../lib/units.js';
import { capital, shorten } from '../lib/text.js';
import { sumBy } from '../model/filter.js';
import { chains } from '../model/chain.js';
import { hasOwn } from '../model/first.js';
import { GROUPS } from '../model/graph.js';
import { ROOT, isRunner } from '../model/profile.js';
import { closeMenusOutside, popMenu } from './popup.js';
import { isOfObjects, plural } from './words.js';

/** @typedef {import('../store/store.js').Store} Store */

const GROUP_NAMES = /** @type {Record<string, string>} */ ({
    imports: 'Imports',
    library: 'Libraries',
    stdlib: 'Standard library',
    native: 'Native',
    kernel: 'Kernel',
});

/** Of this many threads none needs to be searched for; at most so many have a row; longer names are cut. */
const FEW_THREADS = 8;
const MOST_THREADS = 100;
const THREAD_CHARS = 20;
const ROW_CHARS = 60;

/** What "My code" leaves out: all other code. */
const NOT_MINE = Object.keys(GROUPS);

/**
 * @param {Store} store
 * @param {HTMLElement} host
 * @param {HTMLElement} search
 */
export function createToolbar(store, host, search) {
    const views = [sideSwitch(store), direction(store), order(store), ...grouping(store)];
    const parts = [...views, ...hideMenu(store), ...myCode(store)];
    if (store.profile.threads.length > 1) parts.unshift(threadMenu(store));
    // On a phone there is room for the search only; the rest opens.
    const opener = el('button', { class: 'btn opener', 'aria-expanded': 'false', onclick: open }, 'View', icon('down'));
    refill(host, search, opener, el('div', { class: 'parts' }, ...parts.map((part) => part.element)));

    function open() {
        const isOpen = host.classList.toggle('open');
        opener.setAttribute('aria-expanded', String(isOpen));
    }

    const update = () => parts.forEach((part) => part.update());
    store.onChange(update);
    closeMenusOutside(host);
    return { update };
}

/** A box to tick. @param {(on: boolean) => void} set @param {string | null} [label]  where no words are next to it */
function checkbox(set, label = null) {
    const box = el('input', { type: 'checkbox', 'aria-label': label, onchange: () => set(box.checked) });
    return box;
}

/**
 * A menu of boxes to tick.
 * @param {string} title
 * @param {{name: string, note: () => Node | string, set: (on: boolean) => void, isOn: () => boolean}[]} items
 * @param {() => string} summary
 */
function menu(title, items, summary) {
    const said = el('span', { class: 'k' });
    const boxes = items.map(({ set }) => checkbox(set));
    const notes = items.map(() => el('span', { class: 'muted' }));
    const labels = items.map(({ name }, i) =>
        el('label', { title: name }, boxes[i], el('span', {}, name), notes[i]),
    );
    return {
        element: popMenu(null, [`${title} `, said, icon('down')], title, labels),
        update() {
            said.textContent = summary();
            items.forEach(({ isOn, note }, i) => {
                boxes[i].checked = isOn();
                refill(notes[i], note());
            });
        },
    };
}

/**
 * The threads, the heaviest first: a name shows that thread alone, a box adds or leaves out one. Those that hold
 * nothing are only found by name, and of few there is their number.
 * @param {Store} store
 */
function threadMenu(store) {
    const { threads, facts } = store.profile;
    const all = { leaf: facts.leaf, end: store.profile.tree.end };
    const said = el('span', { class: 'k' });
    const list = el('div', { class: 'threads' });
    const find = el('input', {
        type: 'search',
        placeholder: 'Find a thread',
        'aria-label': 'Find a thread',
        hidden: threads.length <= FEW_THREADS,
        oninput: () => fill(),
    });
    const split = checkbox((on) => store.set({ split: on }));
    const every = el('button', { onclick: () => store.set({ threads: null }) }, 'All threads');
    const element = popMenu(null, ['Threads ', said, icon('down')], 'Threads', [
        el('label', {}, split, el('span', {}, 'Split by thread')),
        every,
        find,
        list,
    ]);
    element.addEventListener('toggle', () => element.open && fill());
    const chosen = () => store.state.threads ?? threads.map((_, t) => t);

    /** What each thread holds of the metric. */
    function sumsOfThreads() {
        const keys = { of: facts.thread, count: threads.length };
        const sums = new Float64Array(threads.length);
        for (const { key, sum } of sumBy(all, store.select.metric().value, null, keys, ROOT)) sums[key] = sum;
        return sums;
    }

    /** @param {number} t @param {boolean} on */
    function choose(t, on) {
        const now = on ? chosen().concat(t) : chosen().filter((other) => other !== t);
        store.set({ threads: now.length === threads.length ? null : now.sort((a, b) => a - b) });
    }

    /** @param {number} t @param {number} sum */
    function row(t, sum) {
        const metric = store.select.metric();
        const box = checkbox((on) => choose(t, on), threads[t]);
        box.checked = chosen().includes(t);
        const only = el(
            'button',
            { title: `Only ${threads[t]}`, onclick: () => store.set({ threads: [t] }) },
            el('span', {}, shorten(threads[t], ROW_CHARS)),
            el('span', { class: 'muted' }, figure(formatOf(metric.unit), sum)),
        );
        return el('div', { class: 'thread' }, box, only);
    }

    function fill() {
        const sums = sumsOfThreads();
        const wanted = find.value.trim().toLowerCase();
        const isThere = (/** @type {number} */ t) =>
            wanted || sums[t] || store.state.threads?.includes(t);
        const order = threads.map((_, t) => t).filter((t) => isThere(t) && threads[t].toLowerCase().includes(wanted));
        order.sort((a, b) => sums[b] - sums[a] || a - b);
        const rows = order.slice(0, MOST_THREADS).map((t) => row(t, sums[t]));
        const rest = (wanted ? order : threads).length - rows.length;
        const why = find.hidden ? ', with nothing here' : ': find them by name';
        const more = rest > 0 ? [el('p', { class: 'muted' }, `${count(rest)} more${why}`)] : [];
        refill(list, ...rows, ...more);
    }

    return {
        element,
        update() {
            const { split: isSplit } = store.state;
            const some = store.select.threads();
            const which = !some
                ? `all ${threads.length}`
                : some.length === 1
                  ? shorten(threads[some[0]], THREAD_CHARS)
                  : `${some.length} of ${threads.length}`;
            said.textContent = isSplit ? `${which}, split` : which;
            split.checked = isSplit;
            if (element.open) fill();
        },
    };
}

/**
 * @template {string | boolean} T
 * @param {string} title
 * @param {{value: T, label: string, content: Node | string}[]} choices
 * @param {() => T} get
 * @param {(value: T) => void} set
 * @param {() => boolean} wanted
 * @param {(value: T) => boolean} [has]  whether that choice exists now
 */
export function segments(title, choices, get, set, wanted, has = () => true) {
    const buttons = choices.map(({ value, label, content }) =>
        el(
            'button',
            {
                'aria-label': typeof content === 'string' ? null : label,
                title: label,
                onclick: () => set(value),
            },
            content,
        ),
    );
    const element = el('div', { class: 'seg', role: 'group', 'aria-label': title }, ...buttons);
    return {
        element,
        /** Chooses what follows. */
        next() {
            const now = choices.findIndex(({ value }) => value === get());
            set(choices[(now + 1) % choices.length].value);
        },
        update() {
            element.hidden = !wanted();
            choices.forEach(({ value }, i) => {
                press(buttons[i], value === get());
                buttons[i].hidden = !has(value);
            });
        },
    };
}

/** @param {Store} store */
const direction = (store) =>
    segments(
        'Direction',
        [
            { value: false, label: 'Root at the top', content: icon('rootTop') },
            { value: true, label: 'Root at the bottom', content: icon('rootBottom') },
        ],
        () => store.state.upward,
        (upward) => store.set({ upward }),
        () => !store.select.isTable() && !store.select.isSandwich() && store.state.view === 'graph',
    );

/** What the graph of a difference shows. @param {Store} store */
const sideSwitch = (store) =>
    segments(
        'Difference',
        [
            {
                value: /** @type {import('../model/change.js').Side} */ ('before'),
                label: 'The run before, on the same scale as the run after',
                content: 'Before',
            },
            {
                value: 'change',
                label: 'Each frame as wide as the larger of the two; largest change first',
                content: 'Change',
            },
            { value: 'after', label: 'The run after, on the same scale as the run before', content: 'After' },
        ],
        () => store.state.side,
        (side) => store.set({ side }),
        () => store.select.baseMetric() !== null && !store.select.isTable(),
    );

/** What a metric is shown as. @param {Store} store @param {boolean} hasTree */
export function viewSwitch(store, hasTree) {
    /** @type {{value: import('../model/state.js').State['view'], label: string, content: string}[]} */
    const choices = [
        { value: 'graph', label: 'Boxes', content: 'Graph' },
        { value: 'tree', label: 'Rows', content: 'Tree' },
        { value: 'code', label: 'Lines', content: 'Code' },
        { value: 'table', label: 'Functions, added up over all paths', content: 'Table' },
    ];
    const missing = [...(hasTree ? [] : ['tree']), ...(store.sources.files.length ? [] : ['code'])];
    return segments(
        'Shown as',
        choices.filter(({ value }) => !missing.includes(value)),
        () => store.state.view,
        (view) => store.set({ view }),
        () => true,
    );
}

const ORDERS = [
    { value: 'merged', label: 'Below each frame, the functions it called', content: 'Flame graph' },
    { value: 'time', label: 'The calls of one thread, in the order they ran', content: 'Time order' },
    { value: 'callers', label: 'Below each frame, the functions that called it', content: 'Callers' },
    {
        value: 'sandwich',
        label: 'Callers and callees of the selected function, over all paths',
        content: 'Sandwich',
    },
];

/** The same for objects: what is below a frame is what it retains. */
const OBJECT_ORDERS = [
    { value: 'merged', label: 'Below each frame, what it retains', content: 'Flame graph' },
    { value: 'callers', label: 'Below each frame, what retains it', content: 'Holders' },
    { value: 'sandwich', label: 'What retains the selected class, and what it retains', content: 'Sandwich' },
];

/** @param {Store} store */
function order(store) {
    const { select } = store;
    const choices = /** @type {{value: import('../model/state.js').Order, label: string, content: string}[]} */ (
        isOfObjects(store.profile) ? OBJECT_ORDERS : ORDERS
    );
    const { time } = store.profile;
    return segments(
        'Order',
        choices.filter(({ value }) => value !== 'time' || time),
        select.order,
        (to) => store.set({ order: to }),
        () => !select.isTable(),
        (value) => value !== 'time' || !!time?.some(({ metric }) => metric === select.metricNumber()),
    );
}

/**
 * What a frame, or a row, represents.
 * @param {Store} store
 */
function grouping(store) {
    const { select } = store;
    const graph = segments(
        'A frame for each',
        [
            { value: false, label: 'A frame for each function', content: 'Functions' },
            { value: true, label: 'A frame for each line that ran', content: 'Lines' },
        ],
        () => store.state.by === 'line',
        (lines) => store.set({ by: lines ? 'line' : 'function' }),
        () => !select.isTable() && !isOfObjects(store.profile),
    );
    const table = segments(
        'A row for each',
        /** @type {import('../model/rows.js').Grouping[]} */ (['function', 'line', 'file', 'package']).map((value) => ({
            value,
            label: `A row for each ${value}`,
            content: `${capital(value)}s`,
        })),
        () => store.state.by,
        (by) => store.set({ by }),
        () => select.isTable(),
    );
    return [graph, table];
}

/** The menu of what can be hidden; none where there is nothing. @param {Store} store */
function hideMenu(store) {
    const { frames } = store.profile;
    const present = Object.entries(GROUPS)
        .filter(([, test]) => frames.kind.some((kind) => test(kind)))
        .map(([name]) => name);
    const items = present.map((group) => ({
        name: GROUP_NAMES[group],
        note: () => /** @type {string} */ (''),
        isOn: () => store.state.hide.includes(group),
        set: (/** @type {boolean} */ on) =>
            store.set({ hide: NOT_MINE.filter((g) => (g === group ? on : store.state.hide.includes(g))) }),
    }));
    if (frames.kind.some(isRunner)) {
        items.unshift({
            name: 'Start-up frames',
            note: () => 'in one box',
            isOn: () => store.state.runner,
            set: (runner) => store.set({ runner }),
        });
    }
    if (hasChains(store)) {
        items.push({
            name: 'Straight chains',
            note: () => 'in one row',
            isOn: () => store.state.chains,
            set: (chains) => store.set({ chains }),
        });
    }
    return items.length ? [menu('Hide', items, () => hiddenNow(store, present))] : [];
}

/** Whether any frames could be in one row. @param {Store} store */
function hasChains({ profile, select }) {
    const { graph, sums } = select.plain();
    const chain = chains(profile, graph(), sums());
    return graph().frame.some((_, node) => chain(node) !== node);
}

/** What the menu says: only groups that exist are hidden. @param {Store} store @param {string[]} present */
function hiddenNow({ profile, state }, present) {
    const hidden = present.filter((group) => state.hide.includes(group));
    if (hidden.length === 1) return GROUP_NAMES[hidden[0]].toLowerCase();
    if (!hidden.length) return 'nothing';
    return hidden.length === present.length && hasOwn(profile)
        ? 'all but my code'
        : `${count(hidden.length)} ${plural(hidden.length, 'group')}`;
}

/** Shows my code alone; there is no such button where all or nothing is mine. @param {Store} store */
function myCode(store) {
    const { frames } = store.profile;
    const others = Object.values(GROUPS);
    if (!hasOwn(store.profile) || !frames.kind.some((kind) => others.some((test) => test(kind)))) return [];

    const isOn = () => NOT_MINE.every((group) => store.state.hide.includes(group));
    const button = el(
        'button',
        {
            class: 'btn',
            title: 'Show only your code; library code counts for the function of yours that called it',
            onclick: () => store.set({ hide: isOn() ? [] : NOT_MINE }),
        },
        icon('person'),
        'My code',
    );
    return [{ element: button, update: () => press(button, isOn()) }];
}
