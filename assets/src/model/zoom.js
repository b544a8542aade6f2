// SPDX-License-Identifier: Apache-2.0
/*
 * The part of the time that the lanes show. It zooms about a moment, stays within the run, and never gets narrower than
 * what the data can show.
 */

/** @typedef {{from: number, to: number}} Span  ms since the epoch */

/** A view is at least this part of the run, and this many ms, wide. */
const LEAST = { share: 1e-5, ms: 2 };

/**
 * @param {Span} whole
 * @param {number} from
 * @param {number} to
 * @returns {Span} that part of the whole, or the nearest one that can be shown
 */
export function viewWithin(whole, from, to) {
    const length = whole.to - whole.from;
    const least = Math.min(length, Math.max(LEAST.ms, length * LEAST.share));
    const wanted = Math.min(length, Math.max(least, to - from));
    const middle = (from + to) / 2;
    const left = Math.min(Math.max(whole.from, middle - wanted / 2), whole.to - wanted);
    return { from: left, to: left + wanted };
}

/**
 * Zooms by a factor, below 1 inwards; what is at a moment stays where it is.
 * @param {Span} whole
 * @param {Span} view
 * @param {number} ms
 * @param {number} factor
 */
export function zoomedAt(whole, view, ms, factor) {
    const at = Math.min(Math.max(ms, view.from), view.to);
    const length = (view.to - view.from) * factor;
    const next = viewWithin(whole, whole.from, whole.from + length);
    const wide = next.to - next.from;
    const from = at - (wide * (at - view.from)) / (view.to - view.from);
    return viewWithin(whole, from, from + wide);
}

/** @param {Span} whole @param {Span} view */
export const isZoomed = (whole, view) => view.from > whole.from || view.to < whole.to;
