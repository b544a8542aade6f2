// SPDX-License-Identifier: Apache-2.0
/* One lane: its line, strong inside the window, what is unknown, its limit, its peak. */
import { hatch } from '../../dom/colour.js';
import { formatOf, moment } from '../../lib/units.js';
import { shorten } from '../../lib/text.js';
import { decimate } from '../../model/series.js';
import { LEFT_PX, MARGIN_PX, isWide, laneHeight, rightOf, timeScale, valueScale } from './scale.js';

/** @typedef {import('../../model/lanes.js').Lane} Lane */
/** @typedef {import('../../model/lanes.js').Member} Member */
/** @typedef {import('./lanes.js').Part} Part */

/** A longer name of a frame is cut. */
const NAME_CHARS = 28;
/** Room for the handle at an edge of the window. */
const EDGE_PX = 10;

/** Two stretches of a line of text overlap, or nearly do. @typedef {{x: number, y: number, length: number}} Place */

/** @param {Place} a @param {Place} b */
const covers = (a, b) => Math.abs(a.y - b.y) < 13 && a.x < b.x + b.length && b.x < a.x + a.length;

/**
 * @param {import('./ink.js').Ink} ink
 * @param {import('./lanes.js').View} view
 * @param {number} width
 * @param {typeof import('./resident.js').paintResident} [paintResident]
 */
export function createLane(ink, view, width, paintResident) {
    const { g, of, fill, write, halo, dot, widthOf } = ink;
    const { run } = view;
    const { toX } = timeScale(view, width);
    const end = width - rightOf(width);

    /** What is drawn stays in the plot. @param {number} y @param {number} height @param {() => void} paint */
    function within(y, height, paint) {
        g.save();
        g.beginPath();
        g.rect(LEFT_PX - 2, y, end - LEFT_PX + 4, height);
        g.clip();
        paint();
        g.restore();
    }

    const hatched = hatch(g, of['--surface'], of['--border']);

    /** @param {{x: number, value: number}[]} line @param {(value: number) => number} toY */
    function trace(line, toY) {
        g.beginPath();
        line.forEach(({ x, value }) => g.lineTo(x, toY(value)));
    }

    /**
     * @param {{x: number, value: number}[]} line
     * @param {(value: number) => number} toY
     * @param {number | null} base  where its area ends; null: none, outside the window
     * @param {Member['look']} look
     */
    function paintLine(line, toY, base, look) {
        const last = line[line.length - 1];
        if (base !== null && look === 'area') {
            trace(line, toY);
            g.lineTo(last.x, base);
            g.lineTo(line[0].x, base);
            g.closePath();
            g.fillStyle = of['--series-fill'];
            g.fill();
        }
        trace(line, toY);
        g.lineJoin = 'round';
        g.lineWidth = 1.25;
        g.strokeStyle = of[base === null || look !== 'area' ? '--series-2' : '--series'];
        g.setLineDash(look === 'dashed' ? [4, 3] : []);
        g.stroke();
        g.setLineDash([]);
        if (line.length === 1) fill('--series', last.x - 2, toY(last.value) - 2, 4, 4);
    }

    /**
     * What functions hold, one on top of the other, each with its edge.
     * @param {import('./lanes.js').Stack} stack
     * @param {number} base
     * @param {(value: number) => number} toY
     */
    function paintStack({ at, layers }, base, toY) {
        const under = new Float64Array(at.length);
        let below = Array.from(at, (ms) => ({ x: toX(ms), y: base }));
        layers.forEach(({ bytes }, i) => {
            const top = below.map(({ x }, bin) => ({ x, y: toY((under[bin] += Math.max(0, bytes[bin]))) }));
            g.beginPath();
            top.forEach((point) => g.lineTo(point.x, point.y));
            below.reverse().forEach((point) => g.lineTo(point.x, point.y));
            g.fillStyle = ink.hues[i].fill[1];
            g.fill();
            g.beginPath();
            top.forEach((point) => g.lineTo(point.x, point.y));
            g.strokeStyle = ink.hues[i].line;
            g.lineWidth = 1;
            g.stroke();
            below = top;
        });
    }

    /**
     * The lines before, in and after the window.
     * @param {Lane} lane
     * @param {number} y
     * @param {Part | null} part
     * @param {import('./lanes.js').Stack | null} stack  of the lane's area
     */
    function paintLines(lane, y, part, stack) {
        const { base, toY } = valueScale(lane, y);
        const height = laneHeight(lane);
        const lines = lane.members.map(({ series, look }) => ({ line: decimate(series, toX), look }));
        const known = lines.filter(({ line, look }) => line.length && look !== 'stacked');
        if (!known.length) write('--muted', 'not recorded', LEFT_PX + 8, y + height / 2);
        // Areas are below the other lines.
        known.sort((one, other) => Number(other.look === 'area') - Number(one.look === 'area'));
        const { from, to } = part ?? { from: 0, to: width };
        for (const [left, right, inside] of /** @type {const} */ ([
            [0, from, false],
            [from, to, true],
            [to, width, false],
        ])) {
            if (right <= left) continue;
            g.save();
            g.beginPath();
            g.rect(Math.max(left, LEFT_PX - 2), y, Math.min(right, end + 2) - Math.max(left, LEFT_PX - 2), height);
            g.clip();
            for (const { line, look } of known) {
                paintLine(line, toY, inside ? base : null, look);
                if (!inside || look !== 'area') continue;
                if (stack) paintStack(stack, base, toY);
                paintResident?.(ink, lane, toX, toY);
            }
            g.restore();
        }
    }

    /** What could not be read is hatched: it is not 0. @param {number} ms @param {number} y @param {number} height */
    function paintUnknown(ms, y, height) {
        const x = Math.max(LEFT_PX, toX(ms));
        if (end - x < 1) return;
        g.fillStyle = hatched;
        g.fillRect(x, y, end - x, height - 1);
        const text = `not known after ${moment(ms - run.from, run.to - run.from)}`;
        if (end - x > widthOf(text) + 16) halo(text, x + 8, y + height / 2);
    }

    /** @param {Lane} lane @param {number} y */
    function paintLimit(lane, y) {
        for (let x = LEFT_PX; x < end; x += 10) fill('--muted', x, Math.round(y), 6, 1);
        halo(`limit ${formatOf(lane.unit).short(lane.limit)}`, LEFT_PX + 6, y + 9);
    }

    return {
        /**
         * @param {Lane} lane
         * @param {number} y
         * @param {Part | null} part
         * @param {import('./lanes.js').Stack | null} stack
         */
        paint(lane, y, part, stack) {
            const { base, head, toY } = valueScale(lane, y);
            const height = laneHeight(lane);
            fill('--border', 0, y + height - 1, width, 1);
            paintLines(lane, y, part, stack);
            if (lane.unknownFrom !== null) paintUnknown(lane.unknownFrom, y, height);
            if (lane.limit) paintLimit(lane, toY(lane.limit));
            if (!isWide(width)) return;
            write('--muted', formatOf(lane.unit).short(lane.top), width - MARGIN_PX.wide + 14, head + 4);
            write('--muted', '0', width - MARGIN_PX.wide + 14, base - 4);
        },

        /**
         * The selected frame's part of the heap, and the heap without it as a dashed line.
         * @param {Lane} lane
         * @param {number} y
         * @param {import('./lanes.js').Life} life
         */
        paintLife(lane, y, { at, value, heap, name, owner }) {
            const { base, toY } = valueScale(lane, y);
            const colours = ink.owners[owner];
            const points = (/** @type {(bin: number) => number} */ of) =>
                Array.from(at, (ms, bin) => ({ x: toX(ms), value: Math.max(0, of(bin)) }));
            const own = points((bin) => value[bin]);
            within(y, laneHeight(lane), () => {
                trace(own, toY);
                g.lineTo(own[own.length - 1].x, base);
                g.lineTo(own[0].x, base);
                g.closePath();
                g.fillStyle = colours?.fill[1] ?? of['--dim'];
                g.fill();
                trace(own, toY);
                g.strokeStyle = colours?.line ?? of['--series-2'];
                g.lineWidth = 1.25;
                g.stroke();
                trace(points((bin) => heap[bin] - value[bin]), toY);
                g.strokeStyle = of['--accent'];
                g.setLineDash([3, 3]);
                g.stroke();
                g.setLineDash([]);
            });
            const highest = value.reduce((best, v, bin) => (v > value[best] ? bin : best), 0);
            const words = shorten(name, NAME_CHARS);
            // Beside its highest moment, where the cursor often is.
            const left = own[highest].x - widthOf(words) - 6;
            const x = left > LEFT_PX ? left : own[highest].x + 6;
            if (base - toY(value[highest]) > 18) halo(words, x, Math.min(base - 8, toY(value[highest]) + 11));
        },

        /**
         * The peaks of its lines. A name is on the side where it covers no other name and no edge of the window;
         * without such a side it is left out.
         * @param {Lane} lane
         * @param {number} top
         * @param {Part | null} part
         */
        markPeaks(lane, top, part) {
            const edges = part ? [part.from, part.to] : [];
            const taken = /** @type {Place[]} */ ([]);
            for (const { series, peak, name } of lane.members) {
                if (peak < 0 || series.at[peak] < view.from || series.at[peak] > view.to) continue;
                const x = toX(series.at[peak]);
                const y = valueScale(lane, top).toY(series.max[peak]);
                dot(x, y, '--text', '--surface');
                const what = lane.members.length > 1 ? `${name} ` : isWide(width) ? 'peak ' : '';
                const text = what + formatOf(lane.unit).short(series.max[peak]);
                const length = widthOf(text);
                const place = [x + 8, x - length - 8]
                    .map((left) => ({ x: left, y: Math.max(top + 7, y - 9), length }))
                    .find(
                        (one) =>
                            one.x + length + 6 <= end &&
                            one.x >= 0 &&
                            !taken.some((other) => covers(one, other)) &&
                            !edges.some((edge) => edge > one.x - EDGE_PX && edge < one.x + length + EDGE_PX),
                    );
                if (!place) continue;
                taken.push(place);
                halo(text, place.x, place.y);
            }
        },
    };
}
