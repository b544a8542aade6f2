// SPDX-License-Identifier: Apache-2.0
/*
 * The lanes of the timeline, painted: a line for each series, the window, the cursor, the axis.
 *
 * Coordinates: ms since the epoch and the unit of a series, mapped to CSS pixels of the one canvas of all lanes.
 */
import { instant, moment } from '../../lib/units.js';
import { isHeap, ticksIn } from '../../model/series.js';
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

/**
 * What functions hold at the peaks of the time bins.
 * @typedef {object} Stack
 * @property {Float64Array} at  ms
 * @property {import('../../model/layers.js').Layer[]} layers  from the bottom up
 */

/**
 * The time that is painted: all of the run, or what was zoomed to.
 * @typedef {object} View
 * @property {number} from
 * @property {number} to
 * @property {{from: number, to: number}} run
 */

const TICK_PX = 80;

/**
 * @param {CanvasRenderingContext2D} g
 * @param {import('../../dom/colour.js').Palette} palette
 * @param {View} view
 * @param {number} width
 * @param {typeof import('./resident.js').paintResident} [paintResident]  where it can be told apart
 */
export function createLanePainter(g, palette, view, width, paintResident) {
    const ink = createInk(g, palette);
    const { fill, dot } = ink;
    const { toX } = timeScale(view, width);
    const ticks = ticksIn(view, view.run.from, Math.max(2, (width - LEFT_PX) / TICK_PX));
    const lane = createLane(ink, view, width, paintResident);
    const isSeen = (/** @type {number} */ ms) => ms >= view.from && ms <= view.to;

    return {
        /** @param {Lane[]} lanes @param {Part | null} part @param {Life | null} life @param {Stack | null} stack */
        lanes(lanes, part, life, stack) {
            const bottom = lanesHeight(lanes);
            if (part) {
                const end = width - rightOf(width) + LEFT_PX;
                const after = Math.max(0, part.to);
                fill('--page', 0, 0, Math.max(0, Math.min(part.from, end)), bottom);
                fill('--page', after, 0, Math.max(0, end - after), bottom);
            }
            for (const tick of ticks.at) fill('--border', Math.round(toX(tick)), 0, 1, bottom);
            const tops = lanes.map((_, i) => lanesHeight(lanes.slice(0, i)));
            const heap = lanes.findIndex(({ members }) => members.some(({ series }) => isHeap(series)));
            lanes.forEach((one, i) => lane.paint(one, tops[i], part, i === heap ? stack : null));
            if (life && heap >= 0) lane.paintLife(lanes[heap], tops[heap], life);
            if (part) paintEdges(ink, part, bottom, width);
            lanes.forEach((one, i) => {
                if (isBig(one)) lane.markPeaks(one, tops[i], part);
                if (part?.highest?.lane === one)
                    dot(part.highest.x, valueScale(one, tops[i]).toY(part.highest.value), '--surface', '--accent');
            });
        },

        /** Where the run failed, and with what. @param {number} ms @param {string} name @param {number} bottom */
        failure(ms, name, bottom) {
            if (!isSeen(ms)) return;
            const x = Math.round(toX(ms));
            fill('--danger', x - 1, 0, 2, bottom);
            const length = ink.widthOf(name) + 12;
            const left = Math.max(LEFT_PX, x + 1 - length);
            fill('--danger', left, 0, length, 16);
            ink.write('--surface', name, left + 6, 8);
        },

        /** @param {number} ms @param {number} bottom */
        cursor(ms, bottom) {
            if (!isSeen(ms)) return;
            const x = Math.round(toX(ms));
            for (let y = 0; y < bottom; y += 4) fill('--text', x, y, 1, 2);
        },

        /** @param {number} cursorMs @param {number} bottom */
        axis: (cursorMs, bottom) => paintAxis(ink, view, width, ticks, cursorMs, bottom + AXIS_PX / 2),
    };
}

/**
 * Edges of the window, and of what it is compared with.
 * @param {import('./ink.js').Ink} ink
 * @param {Part} part
 * @param {number} bottom
 * @param {number} width
 */
function paintEdges({ g, fill, halo }, part, bottom, width) {
    g.save();
    g.beginPath();
    g.rect(LEFT_PX - 2, 0, width - rightOf(width) - LEFT_PX + 4, bottom);
    g.clip();
    for (const x of [part.from, part.to]) fill('--accent', Math.round(x) - 1, 0, 2, bottom);
    fill('--accent', part.from, 0, part.to - part.from, 2);
    if (part.against) {
        const { from, to } = part.against;
        for (const x of [from, to]) fill('--text', Math.round(x), 0, 1, bottom);
        fill('--text', from, 0, to - from, 2);
        halo('before', from + 5, bottom - 9);
        halo('after', part.from + 5, bottom - 9);
    }
    g.restore();
}

/**
 * The axis of time, with the cursor's moment on it.
 * @param {import('./ink.js').Ink} ink
 * @param {View} view
 * @param {number} width
 * @param {{at: number[], step: number}} ticks
 * @param {number} cursorMs
 * @param {number} y  of its middle
 */
function paintAxis({ g, of, write, widthOf }, view, width, ticks, cursorMs, y) {
    const { toX } = timeScale(view, width);
    const { run } = view;
    const runMs = run.to - run.from;
    const isFine = runMs >= 60_000 && ticks.step < 1000;
    const exact = (/** @type {number} */ ms, /** @type {number} */ stepMs) =>
        isFine ? instant(ms, runMs, stepMs) : moment(ms, runMs);
    const isSeen = cursorMs >= view.from && cursorMs <= view.to;
    const x = isSeen ? toX(cursorMs) : -width;
    const cursor = exact(cursorMs - run.from, ticks.step / 10);
    const room = widthOf(cursor) / 2 + 8;
    for (const tick of ticks.at) {
        const text = withoutZeros(exact(tick - run.from, ticks.step));
        const half = widthOf(text) / 2;
        const at = toX(tick);
        if (Math.abs(at - x) < room + half + 2) continue;
        write('--muted', text, Math.min(Math.max(2, at - half), width - 2 * half), y);
    }
    if (!isSeen) return;
    const left = Math.min(Math.max(0, x - room + 2), width - 2 * room + 4);
    g.fillStyle = of['--text'];
    g.beginPath();
    g.roundRect(left, y - 9, 2 * room - 4, 18, 3);
    g.fill();
    write('--surface', cursor, left + 6, y + 0.5);
}

/** Round moments without the zeros of a measured one. @param {string} text */
const withoutZeros = (text) => text.replace(/\.0+(?= )|(\.[1-9]+)0+(?= )/, '$1');
