// SPDX-License-Identifier: Apache-2.0
/* The tabs. The program writes them, with their totals; here they come alive. */
import { el, listen } from '../dom/elements.js';
import { count, formatOf } from '../lib/units.js';
import { hasHistory } from '../model/time.js';
import { explained } from './terms.js';
import { plural } from './words.js';

/** The number of metrics with a permanent tab; a profile may have hundreds. The others are in a list. */
const MOST_TABS = 6;

/** Rows of a tree of at most this many nodes are counted immediately. */
const MOST_NODES = 100_000;

/** @typedef {import('../store/selectors.js').Tab & {button: HTMLElement}} TabButton */

/**
 * @param {import('../store/store.js').Store} store
 * @param {TabButton[]} tabs
 * @param {{graph: HTMLElement, table: HTMLElement, title: HTMLElement | null}} panels
 */
export function createTabs(store, tabs, panels) {
    const { select } = store;
    // The totals as the program wrote them, for the whole run.
    const whole = tabs.map(({ button }) => {
        const total = button.querySelector('span');
        return { total, text: total?.textContent ?? '', title: total?.title ?? '' };
    });

    const others = tabs.filter(({ metric }) => metric >= 0).slice(MOST_TABS);
    if (others.length) tabs[0].button.parentElement?.after(listOf(store, others));

    tabs.forEach(({ name, button }) => {
        explained(button);
        listen(button, 'click', () => store.set({ tab: name }));
        listen(button, 'keydown', (event) => {
            const there = tabs.filter((tab) => !tab.button.hidden);
            const i = there.findIndex((tab) => tab.button === button);
            const step = { ArrowRight: 1, ArrowLeft: -1, Home: -i, End: there.length - 1 - i }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            const next = there[(i + step + there.length) % there.length];
            store.set({ tab: next.name });
            next.button.focus();
        });
    });

    function writeTotals() {
        tabs.forEach(({ metric }, i) => {
            const { total, text, title } = whole[i];
            const now = select.metricAt(metric);
            if (!total || !now) return;
            const { short, exact } = formatOf(now.unit);
            const inPart = now.during || (select.part() && hasHistory(now));
            total.textContent = inPart ? short(now.total) : text;
            const hasPart = select.part() || store.state.during;
            total.title = inPart ? exact(now.total) : hasPart ? `${title}, for the whole run` : title;
        });
    }

    let timer = 0;

    /** How many rows the table has; for a huge tree only once they are asked for. */
    function countRows() {
        const { button } = tabs.find(({ metric }) => metric < 0) ?? {};
        if (!button || (!select.isTable() && store.profile.tree.count > MOST_NODES)) return;
        const { count: many, by } = select.rows();
        const total = button.querySelector('span') ?? button.appendChild(el('span'));
        total.textContent = `${count(many)} ${plural(many, by)}`;
    }

    function update() {
        writeTotals();
        clearTimeout(timer);
        timer = window.setTimeout(countRows);
        const shown = select.isTable() ? panels.table : panels.graph;
        for (const { name, button } of tabs) {
            const selected = name === store.state.tab;
            button.setAttribute('aria-selected', String(selected));
            button.tabIndex = selected ? 0 : -1;
            button.hidden = !selected && others.some((other) => other.button === button);
            if (selected) {
                shown.setAttribute('aria-labelledby', button.id);
                panels.title?.replaceChildren(el('span', {}, button.firstChild?.textContent ?? ''));
            }
        }
        panels.graph.hidden = select.isTable();
        panels.table.hidden = !select.isTable();
    }

    store.onChange(update);
    return { update };
}

/**
 * The metrics that have no tab of their own until they are chosen here.
 * @param {import('../store/store.js').Store} store
 * @param {TabButton[]} others
 */
function listOf(store, others) {
    const nameOf = (/** @type {HTMLElement} */ button) => button.firstChild?.textContent ?? '';
    const select = el(
        'select',
        {
            'aria-label': 'More metrics',
            onchange: () => {
                store.set({ tab: select.value });
                select.value = '';
            },
        },
        el('option', { value: '' }, `${count(others.length)} more ${plural(others.length, 'metric')}`),
        ...others.map(({ name, button }) => el('option', { value: name }, nameOf(button))),
    );
    return el('div', { class: 'moretabs' }, select);
}
