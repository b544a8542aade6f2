// SPDX-License-Identifier: Apache-2.0
/*
 * What a graph shows: its sums, matches and boxes. A page has one, one for the callers in a sandwich, and one for
 * the lists, which always show the tree as it was called.
 */
import { countFrames, sumChildren, sumUp } from '../model/calltree.js';
import { changesOf, largerOf, sidesOf } from '../model/change.js';
import { chains } from '../model/chain.js';
import { labelOf, ownerOf } from '../model/graph.js';
import { colourOf, hueName } from '../model/hues.js';
import { layOut } from '../model/layout.js';
import { ROOT } from '../model/profile.js';
import { search } from '../model/search.js';
import { follows } from './memo.js';

/** @typedef {import('../model/graph.js').Graph} Graph */
/** @typedef {import('../model/calltree.js').Sums} Sums */
/** @typedef {import('../model/profile.js').Metric} Metric */
/** @typedef {import('../model/timeorder.js').TimeGraph} TimeGraph */
/** @typedef {ReturnType<typeof selectShown>} Shown */

/**
 * What all graphs of a page have in common.
 * @typedef {object} Amounts
 * @property {() => Metric} metric
 * @property {(number: number) => Metric} metricAt
 * @property {() => Metric | null} baseMetric  what it is compared with
 * @property {() => Uint8Array | null} wanted
 * @property {() => ReturnType<typeof import('../model/search.js').parseQuery>} query
 * @property {() => import('../model/change.js').Side} side
 * @property {() => boolean} shares
 * @property {() => boolean} folds  straight chains are in one row
 */

/** The number of children of a node looked at one by one. */
const MOST_CHILDREN = 20;
/** A frame narrower than this many pixels shares the box of smaller frames. */
const MIN_BOX_PX = 3;

/** @type {WeakMap<Graph, {metric: Metric, wanted: Uint8Array | null, sums: import('../model/calltree.js').Sums}>} */
const summed = new WeakMap();

/**
 * The sums of a graph; several views may show the same one.
 * @param {Graph} graph
 * @param {Metric} metric
 * @param {Uint8Array | null} wanted
 */
export function sumsOf(graph, metric, wanted) {
    const known = summed.get(graph);
    if (known?.metric === metric && known.wanted === wanted) return known.sums;
    const sums = sumUp(graph, metric, wanted);
    summed.set(graph, { metric, wanted, sums });
    return sums;
}

/** A graph in the order of time, or null. @param {Graph} graph */
const inTime = (graph) => ('start' in graph ? /** @type {TimeGraph} */ (graph) : null);

/**
 * @param {import('../model/profile.js').Profile} profile
 * @param {Amounts} amounts
 * @param {() => Graph} graph
 * @param {() => number} top  the zoomed node
 */
export function selectShown(profile, { metric, baseMetric, wanted, query, side, shares, folds }, graph, top) {
    const sums = follows(
        () => [graph(), metric(), wanted()],
        () => {
            const calls = inTime(graph());
            return calls ? calls.sum() : sumsOf(graph(), metric(), wanted());
        },
    );
    const baseSums = follows(
        () => [graph(), baseMetric(), wanted()],
        () => {
            const base = baseMetric();
            return base && !inTime(graph()) ? sumUp(graph(), base, wanted()) : null;
        },
    );
    const larger = follows(
        () => [sums(), baseSums()],
        () => largerOf(graph(), /** @type {Sums} */ (baseSums()), sums()),
    );
    const sides = follows(
        () => [sums(), baseSums(), shares()],
        () => sidesOf(/** @type {Sums} */ (baseSums()), sums(), shares()),
    );
    /** What the picture has room for: in a difference one of its sides, or the larger one of each frame. */
    const held = () => {
        const before = baseSums();
        return !before || side() === 'after' ? sums() : side() === 'before' ? before : larger();
    };
    /** Both sides have one scale: growth is a width that one sees. */
    const wholeOf = (/** @type {number} */ node) =>
        side() === 'change' ? held().total[node] : Math.max(sums().total[node], baseSums()?.total[node] ?? 0);
    /** What sorts siblings: in a difference how much they changed. */
    const weights = follows(
        () => [sums(), baseSums(), shares()],
        () => {
            const change = baseSums() ? changesOf(sides()) : null;
            return change ? change.map(Math.abs) : sums().total;
        },
    );
    const framesBefore = follows(
        () => [held()],
        () => countFrames(graph(), held()),
    );
    const matches = follows(
        () => [held(), query()],
        () => {
            const asked = query();
            return asked && !(asked instanceof Error) ? search(profile, graph(), held(), asked) : null;
        },
    );
    const childrenOf = follows(
        (/** @type {number} */ node) => [held(), node],
        (node) => sumChildren(graph(), held(), node, MOST_CHILDREN, weights()),
    );
    const colourAt = (/** @type {number} */ node) => {
        const owner = ownerOf(profile, graph(), node);
        return node === ROOT ? owner : colourOf(profile, graph().frame[node], owner);
    };
    const chain = follows(
        () => [sums(), folds(), baseMetric()],
        () => (folds() && !baseMetric() ? chains(profile, graph(), sums()) : (/** @type {number} */ node) => node),
    );
    const layoutFor = follows(
        (/** @type {number} */ width, /** @type {number=} */ scale, /** @type {number=} */ left) => [
            held(), weights(), top(), width, scale, left, chain(),
        ],
        (width, scale = 1, left = 0) => {
            const cut = { width, scale, from: left * width * scale, minWidth: MIN_BOX_PX };
            const view = { ...cut, top: top(), whole: wholeOf(top()), chain: chain() };
            const calls = inTime(graph());
            return calls
                ? calls.layOut(sums(), framesBefore(), view)
                : layOut(graph(), held(), framesBefore(), view, weights());
        },
    );
    return {
        graph,
        sums,
        /** The sums of what the metric is compared with, or null. */
        baseSums,
        /** What the picture draws: the sums, in a difference those of what it shows. */
        held,
        /** Both sides of a difference; null where nothing is compared. */
        sides: () => (baseSums() ? sides() : null),
        framesBefore,
        matches,
        /** The heaviest children of a node, and the number and sum of all. */
        childrenOf,
        /** The same, up to a number of one's own. @param {number} node @param {number} most */
        heaviest: (node, most) => sumChildren(graph(), held(), node, most, weights()),
        /** What sorts siblings. */
        weights,
        /** The boxes of a picture of a given width in pixels; of one that is larger, from a share of it on. */
        layoutFor,
        /** The last frame of the chain that a node begins. @param {number} node */
        lastOf: (node) => chain()(node),
        /** @param {number} node */
        label: (node) => {
            const label = labelOf(profile, graph(), node);
            const colour = colourAt(node);
            return { ...label, colour, group: hueName(profile, colour) };
        },
        /** Its owner's, or its package's where all is one owner's. @param {number} node */
        colour: colourAt,
    };
}
