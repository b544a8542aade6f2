// SPDX-License-Identifier: Apache-2.0
/* The run as a window sees it: its bins, its ends, and how moments of it are written. */
import { duration, formatOf, instant } from '../../lib/units.js';
import { allBins, binWidth, timesOf } from '../../model/time.js';

/** @typedef {import('../../model/time.js').Window} Window */
/** @typedef {ReturnType<typeof runOf>} Run */

/** @typedef {'first' | 'last'} End */
export const ENDS = /** @type {const} */ (['first', 'last']);

/** @param {import('../../store/store.js').Store} store */
export function runOf({ profile, select }) {
    const history = /** @type {import('../../model/time.js').History} */ (profile.history);
    const { bins, recorded } = history;
    const span = select.span();
    const widthMs = binWidth(bins);
    /** A moment of the run, as precise as bins are. @param {number} ms */
    const timeOf = (ms) => instant(ms - span.from, span.to - span.from, widthMs);
    return {
        bins,
        /** Bins of the capture, from which those of the page are made. */
        recorded,
        span,
        whole: allBins(bins),
        step: duration(widthMs * 1e6),
        exactStep: formatOf('nanoseconds').exact(Math.round(widthMs * 1e6)),
        timeOf,
        /** The edges of a window. @param {Window} chosen */
        textsOf(chosen) {
            const { from, to } = timesOf(bins, chosen);
            return { first: timeOf(from), last: timeOf(to) };
        },
    };
}
