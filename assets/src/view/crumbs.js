// SPDX-License-Identifier: Apache-2.0
/* The path to the zoomed frame, and what the view adds up to. */
import { el, figure, icon, refill, share } from '../dom/elements.js';
import { shorten } from '../lib/text.js';
import { formatOf } from '../lib/units.js';
import { pathTo } from '../model/calltree.js';
import { functionName, packageName } from '../model/graph.js';
import { placeName } from '../model/lent.js';
import { ROOT } from '../model/profile.js';
import { hasHistory } from '../model/time.js';
import { term } from './terms.js';
import { NO_DATA, NO_TIMES, OWN_TIMES, viewName, viewTimes } from './words.js';

/** @typedef {import('../model/profile.js').Profile} Profile */

/** A longer path loses its middle. */
const MOST_CRUMBS = 8;
/** A longer name of a function is cut. */
const MOST_CHARS = 30;

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 */
export function createCrumbs(store, host) {
    const { select } = store;
    const list = el('ol');
    const sum = el('span', { class: 'push' });
    const filters = el('span', { class: 'filters' });
    refill(host, el('nav', { 'aria-label': 'Zoom path' }, list), filters, sum);

    const isPart = (/** @type {import('../model/profile.js').Metric} */ one) => one.during || hasHistory(one);

    /** A view that cannot follow the window says so, and which one can. */
    function elsewhere() {
        const { metric, part, metricAt } = select;
        const { during } = store.state;
        if (!(during || part()) || isPart(metric())) return [];
        const able = store.tabs.find((tab) => {
            const other = metricAt(tab.metric);
            return other && isPart(other);
        });
        if (!able || (!during && part()?.isBlank)) return [];
        const isTimed = store.profile.heat?.layers.some((layer) => layer.metric === select.metricNumber());
        const title = metricAt(able.metric)?.title ?? able.name;
        return [
            el('span', {}, `${isTimed ? OWN_TIMES : NO_TIMES}.`),
            el('button', { class: 'tag', onclick: () => store.set({ tab: able.name }) }, `${title} in the window`),
        ];
    }

    /** What was left out by name, to take back. */
    function describeFilters() {
        const { profile, state } = store;
        const { through } = state;
        const tag = (
            /** @type {string} */ what,
            /** @type {string} */ name,
            /** @type {() => void} */ onclick,
        ) => {
            const label = `Remove this filter: ${what} ${name}`;
            return el('button', { class: 'tag', title: label, 'aria-label': label, onclick }, `${what} `,
                el('span', { class: 'mono' }, shorten(name, MOST_CHARS)), icon('close'));
        };
        /**
         * @param {string} what
         * @param {(profile: Profile, frame: number) => string} nameOf
         * @param {'drop' | 'away' | 'lent'} chosen
         */
        const each = (what, nameOf, chosen) =>
            state[chosen].map((frame) =>
                tag(what, nameOf(profile, frame), () =>
                    store.set({ [chosen]: state[chosen].filter((other) => other !== frame) }),
                ),
            );
        refill(
            filters,
            ...elsewhere(),
            ...(through < 0
                ? []
                : [tag('only through', functionName(profile, through), () => store.set({ through: -1 }))]),
            ...each('without', functionName, /* @__KEY__ */ 'drop'),
            ...each('without package', packageName, /* @__KEY__ */ 'away'),
            ...each('as library', placeName, /* @__KEY__ */ 'lent'),
        );
    }

    function update() {
        describeFilters();
        const { zoom, across } = store.state;
        const metric = select.metric();
        const { total } = store.state.side === 'before' ? select.held() : select.sums();
        const format = formatOf(metric.unit);
        const path = [ROOT].concat(pathTo(select.graph(), zoom));
        const cut = path.length > MOST_CRUMBS;
        const shown = cut ? [ROOT].concat(path.slice(2 - MOST_CRUMBS)) : path;
        const items = shown.map((node) => {
            const { name } = select.label(node);
            return el(
                'li',
                {},
                node === zoom && !across
                    ? el('span', { 'aria-current': 'true', title: name }, name)
                    : el(
                          'button',
                          {
                              title: name,
                              onclick: () => store.set({ zoom: node, selected: node || store.state.selected }),
                          },
                          name,
                      ),
            );
        });
        if (cut)
            items.splice(
                1,
                0,
                el('li', {}, el('span', { title: `${path.length - shown.length} more frames` }, '\u2026')),
            );
        refill(list, ...items);
        const isBlank = select.part()?.isBlank && hasHistory(metric);
        const whole = isBlank ? NO_DATA : figure(format, total[zoom]);
        refill(
            sum,
            el('b', {}, whole),
            ...(zoom === ROOT ? [] : [' of ', figure(format, total[ROOT])]),
            ' ',
            viewTimes(store) ? el('span', { title: viewTimes(store) }, viewName(store)) : term(viewName(store)),
            ...(zoom === ROOT ? [] : [', ', share(format, total[zoom], total[ROOT])]),
            select.order() === 'time' && store.profile.time?.[0].lacksClock ? ', in order only, without times' : '',
        );
    }

    store.onChange(update);
    store.onBusy((share) => {
        if (share === null) update();
        else sum.textContent = `Building the tree of callers, ${Math.floor(share * 100)} %`;
    });
    return { update };
}
