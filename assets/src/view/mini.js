// SPDX-License-Identifier: Apache-2.0
/* Below the graph: the functions that hold most by themselves, and the owners of the code, which is the legend too. */
import { el, figure, refill, share as shareOf } from '../dom/elements.js';
import { placeOf, shorten, suffixOf } from '../lib/text.js';
import { formatOf } from '../lib/units.js';
import { sumByOwner } from '../model/calltree.js';
import { changedMost } from '../model/change.js';
import { ROOT } from '../model/profile.js';
import { heaviestFunctions } from '../model/rows.js';
import { createList } from './list.js';
import { OWNER_SHORT } from './words.js';

/** The number of functions listed. */
const MOST_FUNCTIONS = 6;
/** A longer name in a heading is cut. */
const NAME_CHARS = 28;

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

    /**
     * In a difference: who changed, and whose code that is.
     * @param {import('../model/graph.js').Graph} called
     * @param {import('../model/change.js').Sides} sides
     * @param {number} zoomed
     * @param {import('../lib/units.js').Format} format
     */
    function fillChanges(called, sides, zoomed, format) {
        const { label: labelOf } = select.plain();
        const list = changedMost(store.profile, called, sides, MOST_FUNCTIONS, zoomed);
        const size = (/** @type {{before: number, after: number}} */ one) => Math.abs(one.after - one.before);
        const item = (/** @type {{before: number, after: number}} */ one, /** @type {number} */ most) => ({
            value: one.after,
            before: one.before,
            share: most > 0 ? size(one) / most : 0,
            note: el('span', { class: 'muted' }, figure(format, one.before), ' \u2192 ', figure(format, one.after)),
        });
        top.element.hidden = !list.length;
        none.hidden = list.length > 0;
        const most = Math.max(0, ...list.map(size));
        top.fill(
            list.map((one) => {
                const label = labelOf(one.node);
                const suffix = suffixOf({ ...label, line: 0 });
                const go = () => graph.show(called, one.node);
                const title = placeOf(label) || label.name;
                return { name: label.name, suffix, title, owner: label.owner, go, ...item(one, most) };
            }),
            format,
        );
        const before = sumByOwner(store.profile, called, sides.before, zoomed);
        const parts = Array.from(sumByOwner(store.profile, called, sides.after, zoomed), (after, owner) => ({
            before: before[owner],
            after,
            owner,
        })).filter((one) => one.before > 0 || one.after > 0);
        const largest = Math.max(0, ...parts.map(size));
        owners.fill(
            parts.map((one) => ({ name: OWNER_SHORT[one.owner], owner: one.owner, ...item(one, largest) })),
            format,
        );
    }

    function update() {
        const { graph: graphOf, sums: sumsOf, label: labelOf, baseSums } = select.plain();
        const called = graphOf();
        const held = sumsOf();
        const zoomed = topOf(called);
        const whole = Math.max(held.total[zoomed], baseSums()?.total[zoomed] ?? 0);
        shown = held;
        shownTop = zoomed;
        host.hidden = whole <= 0;
        if (whole <= 0) return;
        const { unit } = select.metric();
        for (const { element } of [top, owners]) element.classList.toggle('moves', baseSums() !== null);
        const format = formatOf(unit);
        const inside = zoomed === ROOT ? '' : ` in ${shorten(labelOf(zoomed).name, NAME_CHARS)}`;
        const sides = select.plain().sides();
        if (sides) {
            title.textContent = `Changed most by itself${inside}`;
            ownersTitle.textContent = `Whose code${inside}`;
            fillChanges(called, sides, zoomed, format);
            return;
        }
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

    store.onChange((changed) => {
        const { graph: graphOf, sums } = select.plain();
        const compares = changed.has('against') || changed.has('shares');
        if (compares || sums() !== shown || topOf(graphOf()) !== shownTop) update();
    });
    return { update };
}
