// SPDX-License-Identifier: Apache-2.0
/* The path to the zoomed frame, and what the view adds up to. */
import { el, figure, refill, share } from '../dom/elements.js';
import { formatOf } from '../lib/units.js';
import { pathTo } from '../model/calltree.js';
import { ROOT } from '../model/profile.js';
import { viewName, viewTimes } from './words.js';

/** A longer path loses its middle. */
const MOST_CRUMBS = 8;

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 */
export function createCrumbs(store, host) {
    const { select } = store;
    const list = el('ol');
    const sum = el('span', { class: 'push' });
    refill(host, el('nav', { 'aria-label': 'Zoom path' }, list), sum);

    function update() {
        const { zoom } = store.state;
        const metric = select.metric();
        const { total } = select.sums();
        const format = formatOf(metric.unit);
        const path = [ROOT].concat(pathTo(select.graph(), zoom));
        const cut = path.length > MOST_CRUMBS;
        const shown = cut ? [ROOT].concat(path.slice(2 - MOST_CRUMBS)) : path;
        const items = shown.map((node) => {
            const { name } = select.label(node);
            return el(
                'li',
                {},
                node === zoom
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
                el('li', {}, el('span', { title: `${path.length - shown.length} frames more` }, '\u2026')),
            );
        refill(list, ...items);
        const whole = figure(format, total[zoom]);
        refill(
            sum,
            el('b', {}, whole),
            ...(zoom === ROOT ? [] : [' of ', figure(format, total[ROOT])]),
            ' ',
            el('span', { title: viewTimes(store) }, viewName(store)),
            ...(zoom === ROOT ? [] : [', ', share(format, total[zoom], total[ROOT])]),
        );
    }

    store.onChange(update);
    store.onBusy((share) => {
        if (share === null) update();
        else sum.textContent = `Building the tree of callers, ${Math.floor(share * 100)} %`;
    });
    return { update };
}
