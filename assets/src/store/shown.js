// SPDX-License-Identifier: Apache-2.0
/*
 * What a graph shows: its sums, matches and boxes. A page has one, one for the callers in a sandwich, and one for
 * the lists, which always show the tree as it was called.
 */
import { countFrames, sumChildren, sumUp } from '../model/calltree.js';
import { labelOf, ownerOf } from '../model/graph.js';
import { layOut } from '../model/layout.js';
import { search } from '../model/search.js';
import { layOutByTime, sumCalls } from '../model/timeorder.js';
import { follows } from './memo.js';

/** @typedef {import('../model/graph.js').Graph} Graph */
/** @typedef {import('../model/profile.js').Metric} Metric */
/** @typedef {import('../model/timeorder.js').TimeGraph} TimeGraph */
/** @typedef {ReturnType<typeof selectShown>} Shown */

/**
 * What all graphs of a page have in common.
 * @typedef {object} Amounts
 * @property {() => Metric} metric
 * @property {() => Metric | null} baseMetric  what it is compared with
 * @property {() => Uint8Array | null} wanted
 * @property {() => ReturnType<typeof import('../model/search.js').parseQuery>} query
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
function sumsOf(graph, metric, wanted) {
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
export function selectShown(profile, { metric, baseMetric, wanted, query }, graph, top) {
    const sums = follows(
        () => [graph(), metric(), wanted()],
        () => {
            const calls = inTime(graph());
            return calls ? sumCalls(calls) : sumsOf(graph(), metric(), wanted());
        },
    );
    const baseSums = follows(
        () => [graph(), baseMetric(), wanted()],
        () => {
            const base = baseMetric();
            return base && !inTime(graph()) ? sumUp(graph(), base, wanted()) : null;
        },
    );
    const framesBefore = follows(
        () => [sums()],
        () => countFrames(graph(), sums()),
    );
    const matches = follows(
        () => [sums(), query()],
        () => {
            const asked = query();
            return asked && !(asked instanceof Error) ? search(profile, graph(), sums(), asked) : null;
        },
    );
    const childrenOf = follows(
        (/** @type {number} */ node) => [sums(), node],
        (node) => sumChildren(graph(), sums(), node, MOST_CHILDREN),
    );
    const layoutFor = follows(
        (/** @type {number} */ width) => [sums(), top(), width],
        (width) => {
            const view = { top: top(), width, minWidth: MIN_BOX_PX };
            const calls = inTime(graph());
            return calls
                ? layOutByTime(calls, sums(), framesBefore(), view)
                : layOut(graph(), sums(), framesBefore(), view);
        },
    );
    return {
        graph,
        sums,
        /** The sums of what the metric is compared with, or null. */
        baseSums,
        framesBefore,
        matches,
        /** The heaviest children of a node, and the number and sum of all. */
        childrenOf,
        /** The boxes of a picture of a given width in pixels. */
        layoutFor,
        /** @param {number} node */
        label: (node) => labelOf(profile, graph(), node),
        /** @param {number} node */
        owner: (node) => ownerOf(profile, graph(), node),
    };
}
