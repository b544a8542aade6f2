// SPDX-License-Identifier: Apache-2.0
/*
 * Where lanes are in their canvas. Scales are written in the right margin, so no label covers a line.
 */

/** @typedef {import('../../model/lanes.js').Lane} Lane */

/** The height of lanes: of several lines of memory, of one, of two lines of something else, of one. */
const LANE_PX = { memory: 100, big: 64, pair: 60, small: 52 };
/** What names need, as in timeline.css: the lane's own with the space above it, and each line's. */
const TITLE_PX = 27;
const NAME_PX = 17;
export const AXIS_PX = 30;
export const LEFT_PX = 10;
/** Room for the scales; none on a phone. */
export const MARGIN_PX = { wide: 74, narrow: 10 };
const NARROW_PX = 500;
/** Free space in a lane above the highest and below the lowest value. */
const HEAD_PX = { big: 16, small: 8 };
const FOOT_PX = 5;

/** Lanes of bytes have their peak written in them. @param {Lane} lane */
export const isBig = ({ unit }) => unit === 'bytes';

/** @param {Lane} lane */
export function laneHeight(lane) {
    if (lane.tall) return lane.tall;
    const lines = lane.members.length;
    if (lines < 2) return LANE_PX[isBig(lane) ? 'big' : 'small'];
    return isBig(lane) ? Math.max(LANE_PX.memory, TITLE_PX + NAME_PX * lines) : LANE_PX.pair;
}

/** @param {Lane[]} lanes */
export const lanesHeight = (lanes) => lanes.reduce((sum, lane) => sum + laneHeight(lane), 0);

/** @param {number} width */
export const isWide = (width) => width > NARROW_PX;

/** The margin on the right. @param {number} width */
export const rightOf = (width) => (isWide(width) ? MARGIN_PX.wide : MARGIN_PX.narrow);

/**
 * How time maps to a canvas of this width.
 * @param {{from: number, to: number}} span
 * @param {number} width
 */
export function timeScale(span, width) {
    const room = width - LEFT_PX - rightOf(width);
    const length = span.to - span.from;
    return {
        toX: (/** @type {number} */ ms) => LEFT_PX + (room * (ms - span.from)) / length,
        toMs: (/** @type {number} */ x) => span.from + ((x - LEFT_PX) / room) * length,
    };
}

/**
 * How values map to a lane whose top is at y.
 * @param {Lane} lane
 * @param {number} y
 */
export function valueScale(lane, y) {
    const base = y + laneHeight(lane) - FOOT_PX;
    const head = y + (isBig(lane) ? HEAD_PX.big : HEAD_PX.small);
    return {
        base,
        head,
        toY: (/** @type {number} */ value) => base - ((base - head) * Math.max(0, value)) / lane.top,
        toValue: (/** @type {number} */ at) => ((base - at) * lane.top) / (base - head),
    };
}
