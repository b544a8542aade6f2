// SPDX-License-Identifier: Apache-2.0
/*
 * The lanes of the timeline, painted: a line for each series, the window, the cursor, the axis.
 *
 * Coordinates: ms since the epoch and the unit of a series, mapped to CSS pixels of the one canvas of all lanes. Scales
 * stand in the right margin, so no label covers a line.
 */
import { hatch } from '../dom/colour.js';
import { moment } from '../lib/units.js';
import { decimate, timeTicks } from '../model/series.js';

/** @typedef {import('../dom/colour.js').Palette} Palette */

/**
 * @typedef {object} Lane
 * @property {import('../model/profile.js').Series} series
 * @property {boolean} big
 * @property {import('../lib/units.js').Format} format
 * @property {number} peak  point of the series, -1 = none
 * @property {number} top   of its scale
 * @property {number} limit  of the run, a line; 0 = none
 * @property {number | null} unknownFrom  ms; null = it is known to its end
 */

/**
 * A part of the run in pixels, with the highest moment of the heap in it.
 * @typedef {object} Part
 * @property {number} from
 * @property {number} to
 * @property {{lane: Lane, x: number, value: number} | null} highest
 * @property {{from: number, to: number} | null} against  the part that it is compared with
 */

const LANE_PX = { big: 64, small: 52 };
export const AXIS_PX = 30;
const LEFT_PX = 10;
/** Room for the scales; on a phone there is none. */
const MARGIN_PX = { wide: 74, narrow: 10 };
const NARROW_PX = 500;
/** Free space in a lane above the highest and below the lowest value. */
const HEAD_PX = { big: 16, small: 8 };
const FOOT_PX = 5;
const TICK_PX = 80;

/** @param {Lane} lane */
const laneHeight = ({ big }) => (big ? LANE_PX.big : LANE_PX.small);

/** @param {Lane[]} lanes */
export const lanesHeight = (lanes) => lanes.reduce((sum, lane) => sum + laneHeight(lane), 0);

/** @param {number} width */
const rightOf = (width) => (width > NARROW_PX ? MARGIN_PX.wide : MARGIN_PX.narrow);

/**
 * How time lies in a canvas so wide.
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
 * @param {CanvasRenderingContext2D} g
 * @param {Palette} palette
 * @param {{from: number, to: number}} span
 * @param {number} width
 */
export function createLanePainter(g, palette, span, width) {
    const { toX } = timeScale(span, width);
    const spanMs = span.to - span.from;
    const right = rightOf(width);
    const ticks = timeTicks(spanMs, Math.max(2, (width - LEFT_PX) / TICK_PX));
    const hatched = hatch(g, palette.of.surface, palette.of.border);
    g.textBaseline = 'middle';
    g.font = `11px ${palette.sans}`;

    /**
     * @param {keyof Palette['of']} ink
     * @param {number} x
     * @param {number} y
     * @param {number} w
     * @param {number} h
     */
    function fill(ink, x, y, w, h) {
        g.fillStyle = palette.of[ink];
        g.fillRect(x, y, w, h);
    }

    /**
     * Text on a halo of the ground, so that a line below it does not touch it.
     * @param {string} text
     * @param {number} x
     * @param {number} y
     */
    function halo(text, x, y) {
        g.lineJoin = 'round';
        g.lineWidth = 4;
        g.strokeStyle = palette.of.surface;
        g.strokeText(text, x, y);
        g.fillStyle = palette.of.text;
        g.fillText(text, x, y);
    }

    /** @param {number} x @param {number} y @param {keyof Palette['of']} ink @param {keyof Palette['of']} ring */
    function dot(x, y, ink, ring) {
        g.fillStyle = palette.of[ink];
        g.beginPath();
        g.arc(x, y, 3.5, 0, 2 * Math.PI);
        g.fill();
        g.strokeStyle = palette.of[ring];
        g.lineWidth = 1.5;
        g.stroke();
    }

    /**
     * Where a lane is in the canvas.
     * @param {Lane} lane
     * @param {number} y
     */
    function place(lane, y) {
        const base = y + laneHeight(lane) - FOOT_PX;
        const head = y + (lane.big ? HEAD_PX.big : HEAD_PX.small);
        return {
            base,
            head,
            toY: (/** @type {number} */ value) => base - ((base - head) * Math.max(0, value)) / lane.top,
        };
    }

    /** @param {Lane} lane @param {number} y @param {Part | null} part */
    function paintLane(lane, y, part) {
        const height = laneHeight(lane);
        const { base, head, toY } = place(lane, y);
        fill('border', 0, y + height - 1, width, 1);
        const line = decimate(lane.series, toX);
        if (!line.length) {
            g.fillStyle = palette.of.muted;
            g.fillText('not recorded', toX(span.from) + 8, y + height / 2);
        }
        const { from, to } = part ?? { from: 0, to: width };
        for (const [left, end, inside] of /** @type {const} */ ([
            [0, from, false],
            [from, to, true],
            [to, width, false],
        ])) {
            if (!line.length || end <= left) continue;
            g.save();
            g.beginPath();
            g.rect(left, y, end - left, height);
            g.clip();
            paintLine(line, toY, inside ? base : null);
            g.restore();
        }
        if (lane.unknownFrom !== null) paintUnknown(lane.unknownFrom, y, height);
        if (lane.limit) paintLimit(lane, toY(lane.limit));
        if (width > NARROW_PX) {
            g.fillStyle = palette.of.muted;
            g.fillText(lane.format.short(lane.top), width - MARGIN_PX.wide + 14, head + 4);
            g.fillText('0', width - MARGIN_PX.wide + 14, base - 4);
        }
    }

    /**
     * @param {{x: number, value: number}[]} line
     * @param {(value: number) => number} toY
     * @param {number | null} base  where its area ends; null: it has none, it is outside of the window
     */
    function paintLine(line, toY, base) {
        const last = line[line.length - 1];
        if (base !== null) {
            g.beginPath();
            g.moveTo(line[0].x, base);
            line.forEach(({ x, value }) => g.lineTo(x, toY(value)));
            g.lineTo(last.x, base);
            g.closePath();
            g.fillStyle = palette.of['series-fill'];
            g.fill();
        }
        g.beginPath();
        line.forEach(({ x, value }) => g.lineTo(x, toY(value)));
        g.lineJoin = 'round';
        g.lineWidth = 1.25;
        g.strokeStyle = palette.of[base === null ? 'series-2' : 'series'];
        g.stroke();
        if (line.length === 1) fill('series', last.x - 2, toY(last.value) - 2, 4, 4);
    }

    /** What could not be read is hatched: it is not 0. @param {number} ms @param {number} y @param {number} height */
    function paintUnknown(ms, y, height) {
        const x = toX(ms);
        const end = width - right;
        if (end - x < 1) return;
        g.fillStyle = hatched;
        g.fillRect(x, y, end - x, height - 1);
        const text = `not known after ${moment(ms - span.from, spanMs)}`;
        if (end - x > g.measureText(text).width + 16) halo(text, x + 8, y + height / 2);
    }

    /** @param {Lane} lane @param {number} y */
    function paintLimit(lane, y) {
        const text = `limit ${lane.format.short(lane.limit)}`;
        for (let x = LEFT_PX; x < width - right; x += 10) fill('muted', x, Math.round(y), 6, 1);
        halo(text, LEFT_PX + 6, y + 9);
    }

    /** @param {Lane} lane @param {number} top */
    function markPeak(lane, top) {
        const { series, peak, format } = lane;
        const x = toX(series.at[peak]);
        const y = place(lane, top).toY(series.max[peak]);
        dot(x, y, 'text', 'surface');
        const text = `${width > NARROW_PX ? 'peak ' : ''}${format.short(series.max[peak])}`;
        const length = g.measureText(text).width;
        const onLeft = x + length + 14 > width - right;
        halo(text, onLeft ? x - length - 8 : x + 8, Math.max(top + 7, y - 9));
    }

    /** Round moments without the zeros of a measured one. @param {number} tick */
    const tickName = (tick) => moment(tick, spanMs).replace(/\.0+(?= )|(\.[1-9]+)0+(?= )/, '$1');

    return {
        /** @param {Lane[]} lanes @param {Part | null} part */
        lanes(lanes, part) {
            const bottom = lanesHeight(lanes);
            if (part) {
                fill('page', 0, 0, part.from, bottom);
                fill('page', part.to, 0, width - right + LEFT_PX - part.to, bottom);
            }
            for (const tick of ticks) fill('border', Math.round(toX(span.from + tick)), 0, 1, bottom);
            const tops = lanes.map((_, i) => lanesHeight(lanes.slice(0, i)));
            lanes.forEach((lane, i) => paintLane(lane, tops[i], part));
            if (part) {
                for (const x of [part.from, part.to]) fill('accent', Math.round(x) - 1, 0, 2, bottom);
                fill('accent', part.from, 0, part.to - part.from, 2);
            }
            if (part?.against) {
                const { from, to } = part.against;
                for (const x of [from, to]) fill('text', Math.round(x), 0, 1, bottom);
                fill('text', from, 0, to - from, 2);
                halo('before', from + 5, 9);
                halo('after', part.from + 5, 9);
            }
            lanes.forEach((lane, i) => {
                if (lane.peak >= 0 && lane.big) markPeak(lane, tops[i]);
                if (part?.highest?.lane !== lane) return;
                dot(part.highest.x, place(lane, tops[i]).toY(part.highest.value), 'surface', 'accent');
            });
        },

        /** @param {number} ms @param {number} bottom */
        cursor(ms, bottom) {
            const x = Math.round(toX(ms));
            for (let y = 0; y < bottom; y += 4) fill('text', x, y, 1, 2);
        },

        /** @param {number} cursorMs @param {number} bottom */
        axis(cursorMs, bottom) {
            const y = bottom + AXIS_PX / 2;
            const x = toX(cursorMs);
            const cursor = moment(cursorMs - span.from, spanMs);
            const room = g.measureText(cursor).width / 2 + 8;
            for (const tick of ticks) {
                const text = tickName(tick);
                const half = g.measureText(text).width / 2;
                const at = toX(span.from + tick);
                if (Math.abs(at - x) < room + half + 2) continue;
                g.fillStyle = palette.of.muted;
                g.fillText(text, Math.min(Math.max(2, at - half), width - 2 * half), y);
            }
            const left = Math.min(Math.max(0, x - room + 2), width - 2 * room + 4);
            g.fillStyle = palette.of.text;
            g.beginPath();
            g.roundRect(left, y - 9, 2 * room - 4, 18, 3);
            g.fill();
            g.fillStyle = palette.of.surface;
            g.fillText(cursor, left + 6, y + 0.5);
        },
    };
}
