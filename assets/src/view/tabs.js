// SPDX-License-Identifier: Apache-2.0
/* The tabs. The program writes them, with their totals; here they come alive. */
import { el, listen } from '../dom/elements.js';
import { count, formatOf } from '../lib/units.js';
import { hasHistory } from '../model/time.js';
import { explained } from './terms.js';
import { viewSwitch } from './toolbar.js';
import { NO_DATA, plural } from './words.js';

/** The number of metrics with a permanent tab; a profile may have hundreds. The others are in a list. */
const MOST_TABS = 5;

/** @typedef {import('../store/selectors.js').Tab & {button: HTMLElement}} TabButton */

/**
 * @param {import('../store/store.js').Store} store
 * @param {TabButton[]} tabs
 * @param {{graph: HTMLElement, table: HTMLElement, title: HTMLElement | null}} panels
 * @param {boolean} hasTree
 */
export function createTabs(store, tabs, panels, hasTree) {
    const { select } = store;
    // The totals as the program wrote them, for the whole run.
    const whole = tabs.map(({ button }) => {
        const total = button.querySelector('span');
        return { total, text: total?.textContent ?? '', title: total?.title ?? '' };
    });

    const others = tabs.slice(MOST_TABS);
    const views = viewSwitch(store, hasTree);
    tabs[0].button.parentElement?.['after'](...(others.length ? [listOf(store, others)] : []), views.element);

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
            const part = select.part();
            const inPart = now.during || (part && hasHistory(now));
            const isBlank = part?.isBlank && hasHistory(now);
            total.textContent = isBlank ? NO_DATA : inPart ? short(now.total) : text;
            const hasPart = part || store.state.during;
            total.title = inPart ? exact(now.total) : hasPart ? `${title}, for the whole run` : title;
        });
    }

    function update() {
        writeTotals();
        views.update();
        const shown = select.isTable() ? panels.table : panels.graph;
        for (const { name, button } of tabs) {
            const selected = name === store.state.tab;
            button.setAttribute('aria-selected', String(selected));
            button.setAttribute('aria-controls', shown.id);
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
    return { update, nextView: views.next };
}

/**
 * The metrics that have no tab of their own until they are chosen here.
 * @param {import('../store/store.js').Store} store
 * @param {TabButton[]} others
 */
function listOf(store, others) {
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
        ...others.map(({ name, label = name }) => el('option', { value: name }, label)),
    );
    return el('div', { class: 'moretabs' }, select);
}
