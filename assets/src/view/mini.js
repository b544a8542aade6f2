// SPDX-License-Identifier: Apache-2.0
/* Below the graph: the functions that hold most by themselves, and the owners of the code, which is the legend too. */
import { el, refill, share as shareOf } from '../dom/elements.js';
import { placeOf, suffixOf } from '../lib/text.js';
import { formatOf } from '../lib/units.js';
import { sumByOwner } from '../model/calltree.js';
import { ROOT } from '../model/profile.js';
import { heaviestFunctions } from '../model/rows.js';
import { createList } from './list.js';
import { OWNER_SHORT } from './words.js';

/** The number of functions listed. */
const MOST_FUNCTIONS = 6;

/** @type {Record<string, string>} */
const TOP_TITLES = { bytes: 'Allocates most itself', nanoseconds: 'Highest self time' };

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../model/graph.js').Graph, node: number) => void}} graph
 */
export function createMini(store, host, graph) {
    const { select } = store;
    const title = el('h3', { id: 'h-top' });
    const ownersTitle = el('h3', { id: 'h-own' });
    const top = createList('h-top');
    const none = el('p', { class: 'muted' }, 'Only start-up code and frames too small to list.');
    const owners = createList('h-own', 'words');
    refill(
        host,
        el('div', {}, title, top.element, none),
        el('div', {}, ownersTitle, owners.element),
    );

    /**
     * The zoomed frame, where the graph shows calls as they were made.
     * @param {import('../model/graph.js').Graph} called
     */
    const topOf = (called) => (select.graph() === called ? store.state.zoom : ROOT);

    let shownTop = ROOT;
    let shown = /** @type {import('../model/calltree.js').Sums | null} */ (null);

    function update() {
        const { graph: graphOf, sums: sumsOf, label: labelOf } = select.plain();
        const called = graphOf();
        const held = sumsOf();
        const zoomed = topOf(called);
        const whole = held.total[zoomed];
        shown = held;
        shownTop = zoomed;
        host.hidden = whole <= 0;
        if (whole <= 0) return;
        const { unit } = select.metric();
        const format = formatOf(unit);
        const inside = zoomed === ROOT ? '' : ` in ${labelOf(zoomed).name}`;
        title.textContent = (TOP_TITLES[unit] ?? 'Highest self value') + inside;
        ownersTitle.textContent = `Whose code${inside}`;
        const list = heaviestFunctions(store.profile, called, held, MOST_FUNCTIONS, zoomed);
        top.element.hidden = !list.length;
        none.hidden = list.length > 0;
        top.fill(
            list.map(({ node, self }) => {
                const label = labelOf(node);
                return {
                    name: label.name,
                    suffix: suffixOf({ ...label, line: 0 }),
                    title: placeOf(label) || label.name,
                    value: self,
                    share: self / list[0].self,
                    owner: label.owner,
                    note: shareOf(format, self, whole),
                    go: () => graph.show(called, node),
                };
            }),
            format,
        );
        const sums = Array.from(sumByOwner(store.profile, called, held, zoomed), (value, owner) => ({
            value,
            owner,
        }));
        owners.fill(
            sums
                .filter(({ value }) => value > 0)
                .map(({ value, owner }) => ({
                    name: OWNER_SHORT[owner],
                    value,
                    share: value / whole,
                    owner,
                    text: shareOf(format, value, whole),
                })),
            format,
        );
    }

    store.onChange(() => {
        const { graph: graphOf, sums } = select.plain();
        if (sums() !== shown || topOf(graphOf()) !== shownTop) update();
    });
    return { update };
}
