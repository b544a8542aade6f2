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

/**
 * @param {import('./ink.js').Ink} ink
 * @param {{from: number, to: number}} span
 * @param {number} width
 */
export function createLane(ink, span, width) {
    const { g, of, fill, write, halo, dot, widthOf } = ink;
    const { toX } = timeScale(span, width);
    const end = width - rightOf(width);
    const hatched = hatch(g, of.surface, of.border);

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
            g.fillStyle = of['series-fill'];
            g.fill();
        }
        trace(line, toY);
        g.lineJoin = 'round';
        g.lineWidth = 1.25;
        g.strokeStyle = of[base === null || look !== 'area' ? 'series-2' : 'series'];
        g.setLineDash(look === 'dashed' ? [4, 3] : []);
        g.stroke();
        g.setLineDash([]);
        if (line.length === 1) fill('series', last.x - 2, toY(last.value) - 2, 4, 4);
    }

    /** The lines before, in and after the window. @param {Lane} lane @param {number} y @param {Part | null} part */
    function paintLines(lane, y, part) {
        const { base, toY } = valueScale(lane, y);
        const height = laneHeight(lane);
        const lines = lane.members.map(({ series, look }) => ({ line: decimate(series, toX), look }));
        const known = lines.filter(({ line }) => line.length);
        if (!known.length) write('muted', 'not recorded', toX(span.from) + 8, y + height / 2);
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
            g.rect(left, y, right - left, height);
            g.clip();
            for (const { line, look } of known) paintLine(line, toY, inside ? base : null, look);
            g.restore();
        }
    }

    /** What could not be read is hatched: it is not 0. @param {number} ms @param {number} y @param {number} height */
    function paintUnknown(ms, y, height) {
        const x = toX(ms);
        if (end - x < 1) return;
        g.fillStyle = hatched;
        g.fillRect(x, y, end - x, height - 1);
        const text = `not known after ${moment(ms - span.from, span.to - span.from)}`;
        if (end - x > widthOf(text) + 16) halo(text, x + 8, y + height / 2);
    }

    /** @param {Lane} lane @param {number} y */
    function paintLimit(lane, y) {
        for (let x = LEFT_PX; x < end; x += 10) fill('muted', x, Math.round(y), 6, 1);
        halo(`limit ${formatOf(lane.unit).short(lane.limit)}`, LEFT_PX + 6, y + 9);
    }

    return {
        /** @param {Lane} lane @param {number} y @param {Part | null} part */
        paint(lane, y, part) {
            const { base, head, toY } = valueScale(lane, y);
            const height = laneHeight(lane);
            fill('border', 0, y + height - 1, width, 1);
            paintLines(lane, y, part);
            if (lane.unknownFrom !== null) paintUnknown(lane.unknownFrom, y, height);
            if (lane.limit) paintLimit(lane, toY(lane.limit));
            if (!isWide(width)) return;
            write('muted', formatOf(lane.unit).short(lane.top), width - MARGIN_PX.wide + 14, head + 4);
            write('muted', '0', width - MARGIN_PX.wide + 14, base - 4);
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
            trace(own, toY);
            g.lineTo(own[own.length - 1].x, base);
            g.lineTo(own[0].x, base);
            g.closePath();
            g.fillStyle = colours?.fill[1] ?? of.dim;
            g.fill();
            trace(own, toY);
            g.strokeStyle = colours?.line ?? of['series-2'];
            g.lineWidth = 1.25;
            g.stroke();
            trace(points((bin) => heap[bin] - value[bin]), toY);
            g.strokeStyle = of.accent;
            g.setLineDash([3, 3]);
            g.stroke();
            g.setLineDash([]);
            const highest = value.reduce((best, v, bin) => (v > value[best] ? bin : best), 0);
            const words = shorten(name, NAME_CHARS);
            const x = Math.min(Math.max(LEFT_PX + 4, own[highest].x - widthOf(words) / 2), end - widthOf(words) - 4);
            if (base - toY(value[highest]) > 18) halo(words, x, Math.min(base - 8, toY(value[highest]) + 11));
        },

        /**
         * The peaks of its lines; a name that would cover another is left out.
         * @param {Lane} lane
         * @param {number} top
         */
        markPeaks(lane, top) {
            const taken = /** @type {{x: number, y: number, length: number}[]} */ ([]);
            for (const { series, peak, name } of lane.members) {
                if (peak < 0) continue;
                const x = toX(series.at[peak]);
                const y = valueScale(lane, top).toY(series.max[peak]);
                dot(x, y, 'text', 'surface');
                const what = lane.members.length > 1 ? `${name} ` : isWide(width) ? 'peak ' : '';
                const text = what + formatOf(lane.unit).short(series.max[peak]);
                const length = widthOf(text);
                const left = x + length + 14 > end ? x - length - 8 : x + 8;
                const place = { x: left, y: Math.max(top + 7, y - 9), length };
                const covers = taken.some(
                    (other) =>
                        Math.abs(other.y - place.y) < 13 &&
                        place.x < other.x + other.length &&
                        other.x < place.x + length,
                );
                if (covers) continue;
                taken.push(place);
                halo(text, place.x, place.y);
            }
        },
    };
}
