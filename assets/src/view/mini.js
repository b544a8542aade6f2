// SPDX-License-Identifier: Apache-2.0
/*
 * Below the graph: the functions of one's own that hold most with their libraries, those that hold most by themselves,
 * and the owners of the code, which is the legend too.
 */
import { el, figure, refill, share as shareOf } from '../dom/elements.js';
import { placeOf, shorten, suffixOf } from '../lib/text.js';
import { formatOf } from '../lib/units.js';
import { finish } from '../lib/slices.js';
import { LENT, summingByOwner } from '../model/calltree.js';
import { changedMost } from '../model/changed.js';
import { OWNER_SMALLER } from '../lib/owners.js';
import { functionName } from '../model/graph.js';
import { beginOf } from '../model/groups.js';
import { hueName, huesOf, summingByColour } from '../model/hues.js';
import { ROOT } from '../model/profile.js';
import { MOST_LISTED } from '../model/rows.js';
import { createList } from './list.js';
import { OWNER_SHORT, isOfObjects } from './words.js';

/** The number of functions listed, where there is no room for more. */
const FEW_FUNCTIONS = 6;
const ROW_PX = 22;
/** Where other code takes less than this part, one's own code with its libraries is nearly one's own alone. */
const WORTH_A_LIST = 0.05;
/** A longer name in a heading is cut. */
const NAME_CHARS = 28;
/** Where a list has no function. */
const NONE_LISTED = 'Only start-up code and frames too small to list.';
const NONE_CHANGED = 'Nothing changed.';

/** @typedef {ReturnType<import('../store/selectors.js').Selectors['lists']>} Work */
/** @typedef {Work extends Generator<unknown, infer L> ? L : never} Lists */

/** @type {Record<string, string>} */
const TOP_TITLES = { 'bytes': 'Allocates most itself', nanoseconds: 'Highest self time' };

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../model/graph.js').Graph, node: number) => void}} graph
 * @param {(work: () => Generator) => () => void} afterGraph  makes of work a change that may wait for the graph
 */
export function createMini(store, host, graph, afterGraph) {
    const { select } = store;
    const title = el('h3', { id: 'h-top' });
    const ownersTitle = el('h3', { id: 'h-own' });
    const top = createList('h-top');
    const none = el('p', { class: 'muted' });
    const owners = createList('h-own', 'words');
    const lent = el('p', { class: 'muted' });
    const mineTitle = el('h3', { id: 'h-mine' });
    const mine = createList('h-mine');
    const mineCell = el('div', {}, mineTitle, mine.element);
    let most = FEW_FUNCTIONS;
    /** Rows again, where there is room for more. */
    let fill = () => {};
    refill(host, mineCell, el('div', {}, title, top.element, none));
    const hues = huesOf(store.profile);
    const ownersCell = el('div', {}, ownersTitle, owners.element, lent);
    if (hues || !isOfObjects(store.profile)) host.append(ownersCell);

    /**
     * The zoomed frame, where the graph shows calls as they were made.
     * @param {import('../model/graph.js').Graph} called
     */
    const topOf = (called) => (select.graph() === called ? store.state.zoom : ROOT);

    /** A row is a function over all its paths. @param {import('../model/graph.js').Graph} of @param {number} node */
    const nameOf = (of, node) => functionName(store.profile, of.frame[node]);

    /** One of many that are called the same, as "<module>" or "lambda", has its file, or the line where it begins. */
    const fileOf = (/** @type {import('../model/graph.js').Graph} */ of, /** @type {number} */ node) =>
        suffixOf({
            ...select.plain().label(node),
            name: functionName(store.profile, of.frame[node]),
            line: beginOf(store.profile, of.frame[node]),
        });

    /** Where all is one owner's, the colours are those of packages, files or kinds of objects. */
    function titleOfOwners() {
        if (!hues) return 'Whose code';
        if (!isOfObjects(store.profile)) return `All ${OWNER_SHORT[hues.owner]}, by ${hues.by}`;
        return hues.names.some((name) => name.includes('.')) ? 'Objects by package' : 'Objects by kind';
    }

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
        const list = changedMost(store.profile, called, sides, MOST_LISTED, zoomed);
        const size = (/** @type {{before: number, after: number}} */ one) => Math.abs(one.after - one.before);
        const item = (/** @type {{before: number, after: number}} */ one, /** @type {number} */ whole) => ({
            value: one.after,
            before: one.before,
            share: whole > 0 ? size(one) / whole : 0,
            note: el('span', { class: 'muted' }, figure(format, one.before), ' \u2192 ', figure(format, one.after)),
        });
        top.element.hidden = !list.length;
        none.hidden = list.length > 0;
        const mostChanged = Math.max(0, ...list.map(size));
        const rows = list.map((one) => {
            const label = labelOf(one.node);
            const suffix = fileOf(called, one.node);
            const go = () => graph.show(called, one.node);
            const title = placeOf(label) || label.name;
            const name = nameOf(called, one.node);
            return { name, suffix, title, owner: label.colour, go, ...item(one, mostChanged) };
        });
        fill = () => top.fill(rows.slice(0, most), format);
        const answers = finish(select.owners());
        const sumOf = (/** @type {Float64Array} */ self) =>
            finish(summingByOwner(answers, self, zoomed, called.end[zoomed])).subarray(0, LENT);
        const [before, now] = [sides.before, sides.after].map(({ self }) => sumOf(self));
        const parts = Array.from(now, (after, owner) => ({
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

    function* update() {
        const { graph: graphOf, sums: sumsOf, label: labelOf, baseSums } = select.plain();
        const called = graphOf();
        const held = sumsOf();
        const zoomed = topOf(called);
        const whole = Math.max(held.total[zoomed], baseSums()?.total[zoomed] ?? 0);
        shown = held;
        shownTop = zoomed;
        const sides = select.plain().sides();
        const lists = whole > 0 && !sides ? yield* select.lists(zoomed) : null;
        const byHue = lists && hues ? yield* summingByColour(held.self, called, select.plain().colour, zoomed) : null;
        if (sumsOf() !== held || topOf(graphOf()) !== zoomed) return; // then they are made anew
        host.hidden = whole <= 0;
        fill = () => {};
        if (whole <= 0) return;
        const { unit } = select.metric();
        for (const { element } of [top, owners]) element.classList.toggle('moves', baseSums() !== null);
        const format = formatOf(unit);
        const inside = zoomed === ROOT ? '' : ` in ${shorten(labelOf(zoomed).name, NAME_CHARS)}`;
        none.textContent = sides ? NONE_CHANGED : NONE_LISTED;
        mineCell.hidden = true;
        lent.hidden = true;
        if (sides) {
            title.textContent = `Largest change of self${inside}`;
            ownersTitle.textContent = `Whose code${inside}`;
            ownersCell.hidden = isOfObjects(store.profile);
            fillChanges(called, sides, zoomed, format);
            fill();
            return;
        }
        const topTitle = isOfObjects(store.profile) ? 'Largest shallow size' : TOP_TITLES[unit];
        title.textContent = (topTitle ?? 'Highest self value') + inside;
        ownersTitle.textContent = titleOfOwners() + inside;
        const { list, own, byOwner, mineSelf } = /** @type {Lists} */ (lists);
        top.element.hidden = !list.length;
        none.hidden = list.length > 0;
        /** @param {{node: number, value: number}[]} all */
        const rowsOf = (all) =>
            all.slice(0, most).map(({ node, value }) => {
                const label = labelOf(node);
                return {
                    name: nameOf(called, node),
                    suffix: fileOf(called, node),
                    title: placeOf(label) || label.name,
                    value,
                    share: value / all[0].value,
                    owner: label.colour,
                    note: shareOf(format, value, whole),
                    go: () => graph.show(called, node),
                };
            });
        lent.hidden = !byOwner[LENT];
        refill(lent, figure(format, byOwner[LENT]), ' in native code counts for its callers.');
        mineTitle.textContent = `My functions with their libraries${inside}`;
        fill = () => {
            const ownSum = own.slice(0, most).reduce((sum, { value }) => sum + value, 0);
            mineCell.hidden = ownSum - mineSelf < WORTH_A_LIST * whole;
            top.fill(rowsOf(list), format);
            if (!mineCell.hidden) mine.fill(rowsOf(own), format);
        };
        fill();
        const byColour = byHue ?? byOwner.subarray(0, LENT);
        const sums = Array.from(byColour, (value, owner) => ({ value, owner }));
        const isHue = (/** @type {{owner: number}} */ { owner }) => Number(owner > OWNER_SMALLER);
        if (hues) sums.sort((a, b) => isHue(b) - isHue(a) || b.value - a.value);
        owners.fill(
            sums
                .filter(({ value }) => value > 0)
                .map(({ value, owner }) => ({
                    name: hueName(store.profile, owner) || (hues?.owner === owner ? 'all others' : OWNER_SHORT[owner]),
                    value,
                    share: value / whole,
                    owner,
                    text: shareOf(format, value, whole),
                })),
            format,
        );
    }

    const updateSoon = afterGraph(update);
    store.onChange((changed) => {
        const { graph: graphOf, sums } = select.plain();
        const compares = changed.has(/* @__KEY__ */ 'against') || changed.has(/* @__KEY__ */ 'shares');
        if (compares || sums() !== shown || topOf(graphOf()) !== shownTop) updateSoon();
    });
    return {
        update,
        /** There is some more room. @param {number} height */
        grow(height) {
            const rows = Math.min(MOST_LISTED, FEW_FUNCTIONS + Math.max(0, Math.floor(height / ROW_PX)));
            if (rows === most) return;
            most = rows;
            fill();
        },
        /** Where the longest list ends. */
        bottom: () =>
            Math.max(...Array.from(host.querySelectorAll('table'), (list) => list.getBoundingClientRect().bottom)),
    };
}
