// SPDX-License-Identifier: Apache-2.0
/*
 * The call tree in order of time. A stretch is a time during which one stack ran on one thread; a call that goes on
 * from one stretch to the next is one node, so a node has a start and a stop, and siblings are in the order they ran
 * in.
 *
 * Coordinates: nanoseconds since the first stretch of the profile, on all threads alike.
 */
import { sumUp } from './calltree.js';
import { Ints } from './ints.js';
import { layOutRows } from './layout.js';
import { ROOT, depthsOf, subtreeEnds } from './profile.js';

/** @typedef {import('./graph.js').Graph} Graph */
/** @typedef {import('./calltree.js').Sums} Sums */

/**
 * Sorted by thread, then start; those of a thread do not overlap unless the recorder reported it.
 * @typedef {object} Stretches
 * @property {number} count
 * @property {Uint32Array} fact
 * @property {Uint32Array} thread
 * @property {Float64Array} start     ns
 * @property {Float64Array} duration  ns
 */

/**
 * @typedef {object} TimeOrder
 * @property {number} metric        whose values the durations are
 * @property {number} resolutionNs  0, or: calls shorter than this are not distinguished
 * @property {boolean} lacksClock   starts tell the order, not the time
 * @property {Stretches} stretches
 * @property {() => {thread: number, sum: number}[]} threads  those that have stretches, as of threadsInTime
 * @property {(graph: Graph, thread: number, span: Span | null) => TimeGraph} makeGraph  as makeTimeGraph
 */

/** @typedef {import('./heat.js').Span} Span */

/**
 * A graph of calls; `leaf` is by stretch of the thread instead of by fact.
 * @typedef {object} Calls
 * @property {Float64Array} start     [node] ns
 * @property {Float64Array} stop      [node] ns
 * @property {Uint32Array} node       [node] of the graph that it was made from
 * @property {Float64Array} duration  [stretch of the thread] ns
 * @property {boolean} lacksClock
 * @property {() => Sums} sum  as sumCalls
 * @property {(sums: Sums, before: Uint32Array, view: View) => import('./layout.js').Layout} layOut  as layOutByTime
 *
 * @typedef {import('./layout.js').Cut & {top: number, minWidth: number, chain?: (node: number) => number}} View
 * @typedef {Graph & Calls} TimeGraph
 */

/** Deeper calls count for the frame at this depth: no screen shows them, and a stack can be endless. */
const MOST_DEPTH = 1000;

/**
 * The threads that have stretches, with the time recorded for each, largest first.
 * @param {Stretches} stretches
 * @returns {{thread: number, sum: number}[]}
 */
export function threadsInTime({ count, thread, duration }) {
    const sums = new Map();
    for (let i = 0; i < count; i++) sums.set(thread[i], (sums.get(thread[i]) ?? 0) + duration[i]);
    return Array.from(sums, ([number, sum]) => ({ thread: number, sum })).sort(
        (a, b) => b.sum - a.sum || a.thread - b.thread,
    );
}

/**
 * The calls of a thread, made from a graph that is not split by threads: what is hidden or in one box there is here
 * too.
 * @param {Omit<TimeOrder, 'threads' | 'makeGraph'>} time
 * @param {Graph} graph
 * @param {number} thread
 * @param {Span | null} [span]  only what ran in this part of the time
 * @returns {TimeGraph}
 */
export function makeTimeGraph({ stretches: all, resolutionNs, lacksClock }, graph, thread, span) {
    const stretches = span ? within(all, span) : all;
    const first = stretches.thread.indexOf(thread);
    const last = stretches.thread.lastIndexOf(thread) + 1;
    const many = first < 0 ? 0 : last - first;
    const from = Math.max(0, first);
    const depth = depthsOf(graph.parent);
    const parent = new Ints();
    const node = new Ints();
    const leaf = new Uint32Array(many);
    const start = /** @type {number[]} */ ([]);
    const stop = /** @type {number[]} */ ([]);
    // Which call of each graph node goes on: that of the open path, if it is on it.
    const call = new Uint32Array(graph.count);
    const open = new Ints();
    const above = new Ints();

    /** @param {number} up  @param {number} n  @param {number} at */
    const begin = (up, n, at) => {
        start.push(at);
        stop.push(at);
        node.push(n);
        return parent.push(up);
    };
    /** Ends what is deeper than the path's first `kept` calls. @param {number} kept @param {number} at */
    const endTo = (kept, at) => {
        for (; open.count > kept; open.count--) {
            const n = open.items[open.count - 1];
            stop[call[n]] = at;
            call[n] = 0;
        }
    };

    begin(ROOT, ROOT, many ? stretches.start[from] : 0);
    let now = start[ROOT];
    for (let i = 0; i < many; i++) {
        const at = stretches.start[from + i];
        if (at - now > resolutionNs) endTo(0, now);
        let n = graph.leaf[stretches.fact[from + i]];
        while (depth[n] > MOST_DEPTH) n = graph.parent[n];
        const deepest = n;
        for (above.count = 0; n !== ROOT && !call[n]; n = graph.parent[n]) above.push(n);
        endTo(depth[n], Math.min(at, now));
        for (let up = call[n]; above.count > 0; up = call[n]) {
            n = above.items[--above.count];
            call[n] = begin(up, n, at);
            open.push(n);
        }
        leaf[i] = call[deepest];
        now = Math.max(now, at + stretches.duration[from + i]);
    }
    endTo(0, now);
    stop[ROOT] = now;

    const nodes = parent.view.slice();
    const source = node.view.slice();
    const image = new Uint32Array(graph.count);
    for (let n = source.length - 1; n > ROOT; n--) image[source[n]] = n;
    /** @type {TimeGraph} */
    const calls = {
        count: nodes.length,
        parent: nodes,
        frame: source.map((n) => graph.frame[n]),
        smaller: source.map((n) => graph.smaller[n]),
        end: subtreeEnds(nodes),
        leaf,
        base: source.map((n) => (graph.base ? graph.base[n] : n)),
        line: graph.line ? source.map((n) => /** @type {Uint32Array} */ (graph.line)[n]) : null,
        extras: graph.extras,
        origin: null,
        turned: { graph, image },
        start: Float64Array.from(start),
        stop: Float64Array.from(stop),
        node: source,
        duration: stretches.duration.slice(from, from + many),
        lacksClock,
        sum: () => sumCalls(calls),
        layOut: (sums, framesBefore, view) => layOutByTime(calls, sums, framesBefore, view),
    };
    return calls;
}

/**
 * What ran in a part of the time.
 * @param {Stretches} stretches
 * @param {Span} span
 * @returns {Stretches}
 */
function within({ fact, thread, start, duration }, { from, to }) {
    const begin = start.map((at) => Math.max(at, from));
    const length = duration.map((ns, i) => Math.min(start[i] + ns, to) - begin[i]);
    const isIn = (/** @type {unknown} */ _, /** @type {number} */ i) => length[i] > 0;
    return {
        count: length.filter((ns) => ns > 0).length,
        fact: fact.filter(isIn),
        thread: thread.filter(isIn),
        start: begin.filter(isIn),
        duration: length.filter(isIn),
    };
}

/**
 * What each call took: by itself, and with what it called. Each counts once.
 * @param {TimeGraph} calls
 * @returns {Sums}
 */
export function sumCalls(calls) {
    const metric = /** @type {import('./profile.js').Metric} */ ({ value: calls.duration, count: null });
    return sumUp(calls, metric, null);
}

/**
 * Where the boxes are: like layOut, but left and width are moments, and siblings are in order of time. Calls
 * that follow one another and would each be narrower than `minWidth` share a box where they are.
 * @param {TimeGraph} calls
 * @param {Sums} sums  of sumCalls
 * @param {Uint32Array} framesBefore  of countFrames
 * @param {View} view
 * @returns {import('./layout.js').Layout}
 */
export function layOutByTime(calls, sums, framesBefore, view) {
    const { end, start, stop } = calls;
    const { total } = sums;
    const { top, width, minWidth, scale = 1, from = 0 } = view;
    const perNs = stop[top] > start[top] ? (width * scale) / (stop[top] - start[top]) : 0;
    const toX = (/** @type {number} */ ns) => (ns - start[top]) * perNs - from;

    /** @param {import('./layout.js').Put} put  @param {number} n */
    const putChildren = (put, n) => {
        let [many, sum, fromNs, toNs] = [0, 0, 0, 0];
        const putSmaller = () => {
            if (many) put(n, many, toX(fromNs), Math.max(1, (toNs - fromNs) * perNs), sum);
            many = sum = 0;
        };
        for (let child = n + 1; child < end[n]; child = end[child]) {
            if ((stop[child] - start[child]) * perNs >= minWidth) {
                putSmaller();
                put(child, 0, toX(start[child]), (stop[child] - start[child]) * perNs, total[child]);
                continue;
            }
            if (many && (start[child] - toNs) * perNs >= minWidth) putSmaller();
            if (!many) fromNs = start[child];
            many += framesBefore[end[child]] - framesBefore[child];
            sum += total[child];
            toNs = stop[child];
        }
        putSmaller();
    };

    return layOutRows(calls, sums, view, perNs > 0 ? putChildren : null);
}
