// SPDX-License-Identifier: Apache-2.0
/*
 * The lanes of the timeline, painted: a line for each series, the window, the cursor, the axis.
 *
 * Coordinates: ms since the epoch and the unit of a series, mapped to CSS pixels of the one canvas of all lanes.
 */
import { moment } from '../../lib/units.js';
import { isHeap, timeTicks } from '../../model/series.js';
import { createInk } from './ink.js';
import { createLane } from './lane.js';
import { AXIS_PX, LEFT_PX, isBig, lanesHeight, rightOf, timeScale, valueScale } from './scale.js';

/** @typedef {import('../../model/lanes.js').Lane} Lane */

/**
 * A part of the run in pixels, with the highest moment of the heap in it.
 * @typedef {object} Part
 * @property {number} from
 * @property {number} to
 * @property {{lane: Lane, x: number, value: number} | null} highest
 * @property {{from: number, to: number} | null} against  the part it is compared with
 */

/**
 * What the selected frame holds at the peaks of the time bins.
 * @typedef {object} Life
 * @property {Float64Array} at     ms
 * @property {Float64Array} value  bytes of the frame
 * @property {Float64Array} heap   bytes of all
 * @property {string} name
 * @property {number} owner
 */

const TICK_PX = 80;

/**
 * @param {CanvasRenderingContext2D} g
 * @param {import('../../dom/colour.js').Palette} palette
 * @param {{from: number, to: number}} span
 * @param {number} width
 */
export function createLanePainter(g, palette, span, width) {
    const ink = createInk(g, palette);
    const { fill, dot } = ink;
    const { toX } = timeScale(span, width);
    const ticks = timeTicks(span.to - span.from, Math.max(2, (width - LEFT_PX) / TICK_PX));
    const lane = createLane(ink, span, width);

    return {
        /** @param {Lane[]} lanes @param {Part | null} part @param {Life | null} life */
        lanes(lanes, part, life) {
            const bottom = lanesHeight(lanes);
            if (part) {
                fill('page', 0, 0, part.from, bottom);
                fill('page', part.to, 0, width - rightOf(width) + LEFT_PX - part.to, bottom);
            }
            for (const tick of ticks) fill('border', Math.round(toX(span.from + tick)), 0, 1, bottom);
            const tops = lanes.map((_, i) => lanesHeight(lanes.slice(0, i)));
            lanes.forEach((one, i) => lane.paint(one, tops[i], part));
            const heap = lanes.findIndex(({ members }) => members.some(({ series }) => isHeap(series)));
            if (life && heap >= 0) lane.paintLife(lanes[heap], tops[heap], life);
            if (part) paintEdges(ink, part, bottom);
            lanes.forEach((one, i) => {
                if (isBig(one)) lane.markPeaks(one, tops[i]);
                if (part?.highest?.lane === one)
                    dot(part.highest.x, valueScale(one, tops[i]).toY(part.highest.value), 'surface', 'accent');
            });
        },

        /** Where the run failed, and with what. @param {number} ms @param {string} name @param {number} bottom */
        failure(ms, name, bottom) {
            const x = Math.round(toX(ms));
            fill('danger', x - 1, 0, 2, bottom);
            const length = ink.widthOf(name) + 12;
            const left = Math.max(LEFT_PX, x + 1 - length);
            fill('danger', left, 0, length, 16);
            ink.write('surface', name, left + 6, 8);
        },

        /** @param {number} ms @param {number} bottom */
        cursor(ms, bottom) {
            const x = Math.round(toX(ms));
            for (let y = 0; y < bottom; y += 4) fill('text', x, y, 1, 2);
        },

        /** @param {number} cursorMs @param {number} bottom */
        axis: (cursorMs, bottom) => paintAxis(ink, span, width, ticks, cursorMs, bottom + AXIS_PX / 2),
    };
}

/**
 * Edges of the window, and of what it is compared with.
 * @param {import('./ink.js').Ink} ink
 * @param {Part} part
 * @param {number} bottom
 */
function paintEdges({ fill, halo }, part, bottom) {
    for (const x of [part.from, part.to]) fill('accent', Math.round(x) - 1, 0, 2, bottom);
    fill('accent', part.from, 0, part.to - part.from, 2);
    if (!part.against) return;
    const { from, to } = part.against;
    for (const x of [from, to]) fill('text', Math.round(x), 0, 1, bottom);
    fill('text', from, 0, to - from, 2);
    halo('before', from + 5, 9);
    halo('after', part.from + 5, 9);
}

/**
 * The axis of time, with the cursor's moment on it.
 * @param {import('./ink.js').Ink} ink
 * @param {{from: number, to: number}} span
 * @param {number} width
 * @param {number[]} ticks
 * @param {number} cursorMs
 * @param {number} y  of its middle
 */
function paintAxis({ g, of, write, widthOf }, span, width, ticks, cursorMs, y) {
    const { toX } = timeScale(span, width);
    const spanMs = span.to - span.from;
    const x = toX(cursorMs);
    const cursor = moment(cursorMs - span.from, spanMs);
    const room = widthOf(cursor) / 2 + 8;
    for (const tick of ticks) {
        const text = tickName(tick, spanMs);
        const half = widthOf(text) / 2;
        const at = toX(span.from + tick);
        if (Math.abs(at - x) < room + half + 2) continue;
        write('muted', text, Math.min(Math.max(2, at - half), width - 2 * half), y);
    }
    const left = Math.min(Math.max(0, x - room + 2), width - 2 * room + 4);
    g.fillStyle = of.text;
    g.beginPath();
    g.roundRect(left, y - 9, 2 * room - 4, 18, 3);
    g.fill();
    write('surface', cursor, left + 6, y + 0.5);
}

/** Round moments without the zeros of a measured one. @param {number} tick @param {number} spanMs */
const tickName = (tick, spanMs) => moment(tick, spanMs).replace(/\.0+(?= )|(\.[1-9]+)0+(?= )/, '$1');
