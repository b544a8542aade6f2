// SPDX-License-Identifier: Apache-2.0
/*
 * The run in time bins, and windows of them: what the heap held at the peak of a window, and what was
 * allocated in it and not freed by its end. The program does the same with the same bins
 * (doc/formats/payload.md, "Time").
 *
 * Times are ms since the epoch. Columns by fact are filled in one pass over the steps or moves, without an object for
 * each.
 */

/** @typedef {import('./profile.js').Metric} Metric */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./profile.js').Series} Series */
/** @typedef {{value: number, atMs: number}} Peak */

/**
 * Spans of the run, each of which begins where the one before ends.
 * @typedef {object} Bins
 * @property {number} count
 * @property {Float64Array} start
 * @property {Float64Array} end
 * @property {Float64Array} peak    bytes: the highest heap in the bin
 * @property {Float64Array} peakMs  when that is drawn
 * @property {{from: number, to: number}} [run]  the time that is shown; without it, that of the bins
 */

/**
 * What facts have at the peaks of the bins: a step counts from its bin on, until the next one of its fact.
 * @typedef {object} Steps
 * @property {Uint32Array} first   [fact + 1]
 * @property {Uint32Array} bin     [step] ascending within a fact
 * @property {Float64Array} bytes  [step]
 * @property {Float64Array} count  [step]
 */

/**
 * What was allocated in bin `from` and freed in bin `to`, a later one, or NEVER.
 * @typedef {object} Moves
 * @property {Uint32Array} first   [fact + 1]
 * @property {Uint32Array} from    [move]
 * @property {Uint32Array} to      [move]
 * @property {Float64Array} bytes  [move]
 * @property {Float64Array} count  [move]
 */

/**
 * @typedef {object} History
 * @property {Bins} bins
 * @property {number} recorded  bins of the capture; more than here if the page would have been too large
 * @property {Steps} steps      decoded when they are first asked for
 * @property {Moves} moves
 */

/**
 * Bins, both included. What is shown of the run before the first bin and after the last one is in bins of about the
 * same width, of which nothing is known: those before it have numbers below 0.
 * @typedef {{first: number, last: number}} Window
 */

export const NEVER = 2 ** 32 - 1;
/** The run may have begun years before its heap, if its clock or its folder lies: then the bins there are wider. */
const MOST_AROUND = 4096;

/**
 * The ends of bins before the first one or after the last one.
 * @param {Bins} bins
 */
function around(bins) {
    const { count, start, end, run } = bins;
    const width = binWidth(bins);
    const before = run ? start[0] - run.from : 0;
    const after = run ? run.to - end[count - 1] : 0;
    const many = (/** @type {number} */ ms) => (width > 0 ? Math.min(Math.ceil(ms / width), MOST_AROUND) : 0);
    return { before, lead: many(before), after, trail: many(after) };
}

/** All bins that are shown. @param {Bins} bins @returns {Window} */
export function allBins(bins) {
    const { lead, trail } = around(bins);
    return { first: 0 - lead, last: bins.count - 1 + trail };
}

/** Where a bin begins, and the one before it ends. @param {Bins} bins */
function edgesOf(bins) {
    const { count, start, end } = bins;
    const { before, lead, after, trail } = around(bins);
    return (/** @type {number} */ bin) => {
        if (bin < 0) return start[0] + (bin / lead) * before;
        return bin < count ? start[bin] : end[count - 1] + (bin > count ? ((bin - count) / trail) * after : 0);
    };
}

/** Those of a window of which something is known; null = none. @param {Bins} bins @param {Window} window */
export function knownBins({ count }, { first, last }) {
    const known = { first: Math.max(0, first), last: Math.min(count - 1, last) };
    return known.first <= known.last ? known : null;
}

/**
 * The bins that a span of time touches: it snaps outward. Null if the run has none.
 * @param {Bins} bins
 * @param {number} fromMs
 * @param {number} toMs
 * @returns {Window | null}
 */
export function windowOfTime(bins, fromMs, toMs) {
    const edge = edgesOf(bins);
    const { first: least, last: most } = allBins(bins);
    let first = least;
    while (first < most && edge(first + 1) <= fromMs) first++;
    let last = first;
    while (last < most && edge(last + 1) < toMs) last++;
    return fromMs <= toMs && bins.count > 0 ? { first, last } : null;
}

/**
 * The bins of a phase: a bin belongs to the one in which it ends, so that none belongs to two.
 * @param {Bins} bins
 * @param {{from: number, to: number}} phase
 * @returns {Window | null}
 */
export function windowOfPhase({ count, start, end }, { from, to }) {
    let first = 0;
    while (first < count && end[first] <= from) first++;
    if (first === count || start[first] >= to) return null;
    let last = first;
    while (last + 1 < count && end[last + 1] <= to) last++;
    return { first, last };
}

/**
 * The bin that a moment is in. What happens at the moment of a sample is in the bin that the sample ends.
 * @param {Bins} bins
 * @param {number} ms
 */
export function binAt(bins, ms) {
    const edge = edgesOf(bins);
    const { first, last } = allBins(bins);
    let bin = first;
    while (bin < last && edge(bin + 1) < ms) bin++;
    return bin;
}

/**
 * @param {Bins} bins
 * @param {Window} window
 * @returns {{from: number, to: number}}
 */
export function timesOf(bins, { first, last }) {
    const edge = edgesOf(bins);
    return { from: edge(first), to: edge(last + 1) };
}

/** @param {Window | null} a @param {Window | null} b */
export const isSameWindow = (a, b) => a?.first === b?.first && a?.last === b?.last;

/**
 * The mean width of a bin.
 * @param {Bins} bins
 */
export const binWidth = ({ count, start, end }) => (end[count - 1] - start[0]) / count;

/**
 * The bin with the highest peak, the last of equals.
 * @param {Bins} bins
 * @param {Window} window
 */
export function highestBin({ peak }, { first, last }) {
    let best = first;
    for (let bin = first + 1; bin <= last; bin++) best = peak[bin] >= peak[best] ? bin : best;
    return best;
}

/**
 * What each fact has at the peak of a bin.
 * @param {Steps} steps
 * @param {number} wanted
 */
function heldAt({ first, bin, bytes, count }, wanted) {
    const facts = first.length - 1,
        value = new Float64Array(facts),
        many = new Float64Array(facts);
    for (let fact = 0; fact < facts; fact++) {
        let i = first[fact];
        while (i < first[fact + 1] && bin[i] <= wanted) i++;
        if (i > first[fact]) {
            value[fact] = bytes[i - 1];
            many[fact] = count[i - 1];
        }
    }
    return { value, count: many };
}

/**
 * What each fact allocated in the window and did not free in it.
 * @param {Moves} moves
 * @param {Window} part
 */
function leftAfter({ first, from, to, bytes, count }, part) {
    const facts = first.length - 1,
        value = new Float64Array(facts),
        many = new Float64Array(facts);
    for (let fact = 0; fact < facts; fact++) {
        for (let i = first[fact]; i < first[fact + 1]; i++) {
            if (from[i] >= part.first && from[i] <= part.last && to[i] > part.last) {
                value[fact] += bytes[i];
                many[fact] += count[i];
            }
        }
    }
    return { value, count: many };
}

/** @param {Float64Array} column */
const sumOf = (column) => {
    let sum = 0;
    for (let i = 0; i < column.length; i++) sum += column[i];
    return sum;
};

/**
 * A metric in a part of the run; without a history it stays that of the whole run.
 * @param {Profile} profile
 * @param {Metric} metric
 * @param {Window | null} window
 * @returns {Metric}
 */
export function metricIn({ history }, metric, window) {
    if (!history || !window || !hasHistory(metric)) return metric;
    const part = knownBins(history.bins, window);
    const columns =
        part && metric.name === 'peak'
            ? heldAt(history.steps, highestBin(history.bins, part))
            : leftAfter(history.moves, part ?? window);
    const { name, title, unit, countName } = metric;
    return { name, title, unit, countName, total: sumOf(columns.value), totalCount: sumOf(columns.count), ...columns };
}

/** @param {{name: string}} metric */
export const hasHistory = ({ name }) => name === 'peak' || name === 'leaked';

/**
 * When the peaks of bins are drawn. A bin shows only that its peak is in it: drawn where its samples are highest, or
 * where the program puts the peak of the run.
 * @param {Omit<Bins, 'peakMs'>} bins
 * @param {Series | undefined} heap
 * @param {Peak | null} highest
 * @returns {Float64Array} [bin] ms
 */
export function peakTimes({ count, start, end, peak }, heap, highest) {
    const times = new Float64Array(count),
        { at, max } = heap ?? { at: new Float64Array(), max: new Float64Array() };
    for (let bin = 0, i = 0; bin < count; bin++) {
        let best = -1;
        for (; i < at.length && at[i] <= end[bin]; i++) best = best < 0 || max[i] >= max[best] ? i : best;
        const isHighest =
            highest && highest.value === peak[bin] && start[bin] < highest.atMs && highest.atMs <= end[bin];
        times[bin] = isHighest ? highest.atMs : best < 0 ? end[bin] : at[best];
    }
    return times;
}
