// SPDX-License-Identifier: Apache-2.0
/* The calls in order of time. */
import { makeTimeGraph, threadsInTime } from '../model/timeorder.js';
import { integers, need, numbers, wrong } from './unpack.js';

/** @typedef {import('./unpack.js').Column} Column */
/** @typedef {import('./unpack.js').Head} Head */

/**
 * What ran when; decoded when it is first looked at.
 * @param {Head} head
 * @param {Map<string, Column>} columns
 * @param {import('../model/profile.js').Facts} facts
 * @returns {import('../model/timeorder.js').TimeOrder | null}
 */
export function readTimeOrder(head, columns, facts) {
    const time = head['time'];
    if (!time) return null;
    /** @type {import('../model/timeorder.js').Stretches | undefined} */
    let stretches;
    const order = {
        metric: time['metric'],
        resolutionNs: time['resolutionNs'],
        lacksClock: time['lacksClock'],
        get stretches() {
            return (stretches ??= readStretches(columns, facts));
        },
        threads: () => threadsInTime(order.stretches),
        /** @type {import('../model/timeorder.js').TimeOrder['makeGraph']} */
        makeGraph: (graph, thread, span) => makeTimeGraph(order, graph, thread, span),
    };
    return order;
}

/**
 * @param {Map<string, Column>} columns
 * @param {import('../model/profile.js').Facts} facts
 * @returns {import('../model/timeorder.js').Stretches}
 */
function readStretches(columns, facts) {
    const fact = integers(need(columns, 'stretches.fact'));
    const start = numbers(need(columns, 'stretches.gap'));
    const duration = numbers(need(columns, 'stretches.duration'));
    const thread = fact.map((f) => facts.thread[f]);
    if (start.length !== fact.length || duration.length !== fact.length || fact.some((f) => f >= facts.count))
        throw wrong('damaged');
    for (let i = 1; i < fact.length; i++) {
        if (thread[i] === thread[i - 1]) start[i] += start[i - 1] + duration[i - 1];
    }
    return { count: fact.length, fact, thread, start, duration };
}
