// SPDX-License-Identifier: Apache-2.0
/* The amounts that follow from the choice: the metric in its window, and what it is compared with. */
import { formatOf } from '../lib/units.js';
import { growthOf } from '../model/change.js';
import { factsOfThreads, factsThrough } from '../model/filter.js';
import { focusOf } from '../model/graph.js';
import { timeSpan } from '../model/series.js';
import { hasHistory, highestBin, isSameWindow, knownBins, metricIn, timesOf } from '../model/time.js';
import { follows } from './memo.js';
import { duringOf } from './trees.js';

/** @typedef {import('../model/profile.js').Profile} Profile */
/** @typedef {import('../model/profile.js').Metric} Metric */

/** The metric of a timeline that has no stacks. @type {Metric} */
const NOTHING = {
    name: '',
    title: '',
    unit: 'count',
    countName: null,
    total: 0,
    totalCount: 0,
    value: new Float64Array(),
    count: null,
};

/**
 * A window with its bins, its edges, when the heap is highest in it and how high.
 * @param {Profile} profile
 * @param {import('../model/time.js').Window | null} window
 */
function partOf({ history }, window) {
    if (!history || !window) return null;
    const { bins } = history;
    const known = knownBins(bins, window);
    const highest = known ? highestBin(bins, known) : -1;
    return {
        ...window,
        ...timesOf(bins, window),
        /** Whether nothing is known of the heap in it. */
        isBlank: !known,
        peakMs: bins.peakMs[highest],
        peakBytes: bins.peak[highest],
    };
}

/**
 * @param {Profile} profile
 * @param {import('./state.js').Choice} choice
 * @param {() => number[] | null} threadsOf  of what is shown; null = all
 */
export function selectAmounts(profile, choice, threadsOf) {
    const span = timeSpan(profile);
    const windowNow = () => [choice.state.window?.first, choice.state.window?.last];
    const measured = profile.metrics.length ? profile.metrics : [NOTHING];
    const during = () => duringOf(profile, choice.state);
    const partNow = () => [...windowNow(), choice.state.during];
    const metrics = measured.map((one, i) =>
        follows(partNow, () => {
            return profile.heat?.part(i, one, during()) ?? metricIn(profile, one, choice.state.window);
        }),
    );
    const metric = () => metrics[choice.metric]();
    const wanted = follows(
        () => [threadsOf()?.join(), choice.state.through, choice.state.by === 'line'],
        () => {
            const { through, by } = choice.state;
            const threads = threadsOf();
            const mask = factsOfThreads(profile, threads && new Set(threads));
            const isWanted = focusOf(profile, { focus: through, lines: by === 'line' });
            return through < 0 ? mask : factsThrough(profile, mask, isWanted);
        },
    );
    const part = follows(windowNow, () => partOf(profile, choice.state.window));
    const other = () => {
        const { window, against } = choice.state;
        return window && !isSameWindow(window, against) ? against : null;
    };
    const against = follows(
        () => [other()?.first, other()?.last],
        () => partOf(profile, other()),
    );
    /** The part of the time that samples have in what the window is compared with. */
    const duringBefore = () => duringOf(profile, { ...choice.state, during: '', window: other() });
    const baseMetric = follows(
        () => [metric(), against()],
        () => {
            const { base } = metric();
            if (base !== undefined) return profile.metrics[base];
            const one = measured[choice.metric];
            if (metric().during) return (against() && profile.heat?.part(choice.metric, one, duringBefore())) ?? null;
            return against() && hasHistory(metric()) ? metricIn(profile, one, other()) : null;
        },
    );
    const growth = follows(
        () => [metric(), baseMetric(), wanted()],
        () => growthOf(profile, baseMetric()?.value ?? metric().value, metric().value, wanted()),
    );
    return {
        /** The part of the time that the heat map shows; '' = all of it. */
        during,
        duringBefore,
        /** The time that the timeline shows. */
        span: () => span,
        /** The metric of the open tab, in the window. */
        metric,
        /** How its values are written. */
        format: () => formatOf(metric().unit),
        metricNumber: () => choice.metric,
        /** Any metric in the window. @param {number} number */
        metricAt: (number) => metrics[number]?.(),
        /** What the metric is compared with, or null. */
        baseMetric,
        /** The facts of the chosen threads; null = all. */
        wanted,
        /** The window; null = none. */
        part,
        /** The part of the run that the window is compared with; null = none. */
        against,
        /** The functions that differ between the two parts. */
        growth,
        /** What the graph of a difference shows. */
        side: () => choice.state.side,
        /** Whether shares of each side are compared. */
        shares: () => choice.state.shares,
    };
}
