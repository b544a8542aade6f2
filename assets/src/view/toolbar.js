// SPDX-License-Identifier: Apache-2.0
/* The one toolbar of all tabs: search, threads, direction, what is left out, grouping of the table. */
import { el, figure, icon, press, refill } from '../dom/elements.js';
import { count, formatOf } from '../lib/units.js';
import { sumBy } from '../model/filter.js';
import { GROUPS } from '../model/graph.js';
import { ROOT, isRunner } from '../model/profile.js';
import { plural } from './words.js';

/** @typedef {import('../store/page.js').Page} Page */

const GROUP_NAMES = /** @type {Record<string, string>} */ ({
    imports: 'Imports',
    library: 'Libraries',
    stdlib: 'Standard library',
    native: 'Native',
    kernel: 'Kernel',
});

/** What "My code" leaves out: everything that is not. */
const NOT_MINE = Object.keys(GROUPS);

/**
 * @param {Page} page
 * @param {HTMLElement} host
 * @param {HTMLElement} search
 */
export function createToolbar(page, host, search) {
    const parts = [direction(page), order(page), ...grouping(page), hideMenu(page), myCode(page)];
    if (page.profile.threads.length > 1) parts.unshift(threadMenu(page));
    refill(host, search, ...parts.map((part) => part.element));
    const update = () => parts.forEach((part) => part.update());
    page.onChange(update);
    closeMenusOutside(host);
    return { update };
}

/** A menu closes when the next click is elsewhere, or on Escape. @param {HTMLElement} host */
export function closeMenusOutside(host) {
    const close = (/** @type {Event} */ event) =>
        host.querySelectorAll('details[open]').forEach((menu) => {
            if (event.type === 'keydown' || !menu.contains(/** @type {Node} */ (event.composedPath()[0])))
                menu.removeAttribute('open');
        });
    document.addEventListener('pointerdown', close);
    host.addEventListener('keydown', (event) => event.key === 'Escape' && close(event));
}

/**
 * A menu of boxes to tick.
 * @param {string} title
 * @param {{name: string, note: () => Node | string, set: (on: boolean) => void, isOn: () => boolean}[]} items
 * @param {() => string} summary
 */
function menu(title, items, summary) {
    const said = el('span', { class: 'k' });
    const boxes = items.map(({ set }) => {
        const box = el('input', { type: 'checkbox', onchange: () => set(box.checked) });
        return box;
    });
    const notes = items.map(() => el('span', { class: 'muted' }));
    const labels = items.map(({ name }, i) =>
        el('label', { title: name }, boxes[i], el('span', {}, name), notes[i]),
    );
    return {
        element: el(
            'details',
            { class: 'menu' },
            el('summary', { class: 'btn' }, `${title} `, said, icon('down')),
            el('div', { class: 'pop', role: 'group', 'aria-label': title }, ...labels),
        ),
        update() {
            said.textContent = summary();
            items.forEach(({ isOn, note }, i) => {
                boxes[i].checked = isOn();
                refill(notes[i], note());
            });
        },
    };
}

/** @param {Page} page */
function threadMenu(page) {
    const { threads, facts } = page.profile;
    const all = { leaf: facts.leaf, end: page.profile.tree.end };
    let of = /** @type {import('../model/profile.js').Metric | null} */ (null);
    let sums = /** @type {Map<number, number>} */ (new Map());
    const held = (/** @type {number} */ thread) => {
        const { metric } = page;
        if (of !== metric) {
            of = metric;
            const keys = { of: facts.thread, count: threads.length };
            sums = new Map(sumBy(all, metric.value, null, keys, ROOT).map(({ key, sum }) => [key, sum]));
        }
        return figure(formatOf(metric.unit), sums.get(thread) ?? 0);
    };
    const chosen = () => page.state.threads ?? threads.map((_, t) => t);
    const items = threads.map((name, t) => ({
        name,
        note: () => held(t),
        isOn: () => chosen().includes(t),
        set: (/** @type {boolean} */ on) => {
            const now = on ? chosen().concat(t) : chosen().filter((other) => other !== t);
            page.set({ threads: now.length === threads.length ? null : now.sort((a, b) => a - b) });
        },
    }));
    const split = {
        name: 'A tree for each thread',
        note: () => '',
        isOn: () => page.state.split,
        set: (/** @type {boolean} */ on) => page.set({ split: on }),
    };
    return menu('Threads', [split, ...items], () => {
        const some = page.state.threads ? `${page.state.threads.length} of ${threads.length}` : `all ${threads.length}`;
        return page.state.split ? `${some}, split` : some;
    });
}

/**
 * @template {string | boolean} T
 * @param {string} title
 * @param {{value: T, label: string, content: Node | string}[]} choices
 * @param {() => T} get
 * @param {(value: T) => void} set
 * @param {() => boolean} wanted
 * @param {(value: T) => boolean} [has]  whether there is such a choice now
 */
function segments(title, choices, get, set, wanted, has = () => true) {
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
        update() {
            element.hidden = !wanted();
            choices.forEach(({ value }, i) => {
                press(buttons[i], value === get());
                buttons[i].hidden = !has(value);
            });
        },
    };
}

/** @param {Page} page */
const direction = (page) =>
    segments(
        'Direction',
        [
            { value: false, label: 'Root at the top', content: icon('rootTop') },
            { value: true, label: 'Root at the bottom', content: icon('rootBottom') },
        ],
        () => page.state.upward,
        (upward) => page.set({ upward }),
        () => !page.isTable && !page.isSandwich(),
    );

/** @param {Page} page */
function order(page) {
    const choices = /** @type {{value: import('../model/state.js').Order, label: string, content: string}[]} */ ([
        { value: 'merged', label: 'Below each frame what it called', content: 'Merged' },
        { value: 'time', label: 'The calls of a thread, in the order of time', content: 'Time' },
        { value: 'callers', label: 'Below each frame what called it', content: 'Callers' },
        {
            value: 'sandwich',
            label: 'Callers and callees of the selected function, over all paths',
            content: 'Sandwich',
        },
    ]);
    const { time } = page.profile;
    return segments(
        'Order',
        choices.filter(({ value }) => value !== 'time' || time),
        page.order,
        (to) => page.set({ order: to }),
        () => !page.isTable,
        (value) => value !== 'time' || time?.metric === page.metricNumber(),
    );
}

/**
 * What a frame, or a row, stands for.
 * @param {Page} page
 */
function grouping(page) {
    const graph = segments(
        'A frame for each',
        [
            { value: false, label: 'A frame for each function', content: 'Functions' },
            { value: true, label: 'A frame for each line that ran', content: 'Lines' },
        ],
        () => page.state.by === 'line',
        (lines) => page.set({ by: lines ? 'line' : 'function' }),
        () => !page.isTable,
    );
    const table = segments(
        'A row for each',
        [
            {
                value: /** @type {import('../model/rows.js').Grouping} */ ('function'),
                label: 'A row for each function',
                content: 'Functions',
            },
            { value: 'line', label: 'A row for each line that ran', content: 'Lines' },
            { value: 'module', label: 'A row for each file', content: 'Modules' },
        ],
        () => page.state.by,
        (by) => page.set({ by }),
        () => page.isTable,
    );
    return [graph, table];
}

/** @param {Page} page */
function hideMenu(page) {
    const { frames } = page.profile;
    const present = Object.entries(GROUPS)
        .filter(([, test]) => frames.kind.some((kind) => test(kind)))
        .map(([name]) => name);
    const items = present.map((group) => ({
        name: GROUP_NAMES[group],
        note: () => /** @type {string} */ (''),
        isOn: () => page.state.hide.includes(group),
        set: (/** @type {boolean} */ on) =>
            page.set({ hide: NOT_MINE.filter((g) => (g === group ? on : page.state.hide.includes(g))) }),
    }));
    if (frames.kind.some(isRunner)) {
        items.unshift({
            name: 'Frames of the runner',
            note: () => 'in one box',
            isOn: () => page.state.runner,
            set: (runner) => page.set({ runner }),
        });
    }
    return menu('Hide', items, () => {
        const { hide } = page.state;
        const most = present.every((group) => hide.includes(group));
        return !hide.length
            ? 'nothing'
            : most
              ? 'all but my code'
              : hide.length === 1
                ? GROUP_NAMES[hide[0]].toLowerCase()
                : `${count(hide.length)} ${plural(hide.length, 'group')}`;
    });
}

/** @param {Page} page */
function myCode(page) {
    const isOn = () => NOT_MINE.every((group) => page.state.hide.includes(group));
    const button = el(
        'button',
        {
            class: 'btn',
            title: 'Only frames of my own code; what others hold counts for the frame of mine that called them',
            onclick: () => page.set({ hide: isOn() ? [] : NOT_MINE }),
        },
        icon('person'),
        'My code',
    );
    return { element: button, update: () => press(button, isOn()) };
}
