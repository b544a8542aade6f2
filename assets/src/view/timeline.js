// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline: a lane for each series, all on one axis, with one cursor.
 *
 * Coordinates: ms since the epoch and the unit of a series, mapped to CSS pixels of the one canvas of all lanes.
 * Scales stand in the right margin and the value at the cursor in the gutter on the left, so no label covers a line.
 */
import { readPalette } from '../lib/colour.js';
import { el } from '../lib/dom.js';
import { formatOf, moment } from '../lib/units.js';
import { decimate, highestPoint, niceTop, pointAt, timeSpan, timeTicks } from '../model/series.js';

/** @typedef {import('../model/profile.js').Series} Series */

const LANE_PX = { big: 64, small: 52 };
const AXIS_PX = 30;
const LEFT_PX = 10;
/** Room for the scales; on a phone there is none. */
const MARGIN_PX = { wide: 74, narrow: 10 };
const NARROW_PX = 500;
/** Free space in a lane above the highest and below the lowest value. */
const HEAD_PX = { big: 16, small: 8 };
const FOOT_PX = 5;
const TICK_PX = 80;

/** What a lane says below its name. */
const NOTES = /** @type {Record<string, string>} */ ({ rss: 'resident memory', heap: 'allocated, by the tracker' });

/**
 * @param {import('../page.js').Page} page
 * @param {HTMLElement} host
 * @param {HTMLElement | null} jumps  takes the buttons to the peaks
 */
export function createTimeline(page, host, jumps) {
    const { series, heapPeak } = page.profile;
    const span = timeSpan(page.profile);
    const spanMs = span.to - span.from;
    const lanes = series.map((s) => {
        const big = s.unit === 'bytes';
        const format = formatOf(s.unit);
        const value = el('span', { class: 'c' });
        const peak = s.name === 'heap' && heapPeak ? pointAt(s, heapPeak.atMs) : highestPoint(s);
        const note = NOTES[s.name] ?? '';
        const gutter = el(
            'div',
            { class: big ? 'lane big' : 'lane' },
            el('span', { class: 'n' }, s.title),
            value,
            el('span', { class: 'm' }, note),
        );
        return {
            series: s,
            big,
            format,
            peak,
            value,
            gutter,
            top: niceTop(
                s.max.reduce((most, v) => Math.max(most, v), 0),
                s.unit,
            ),
        };
    });
    const canvas = el('canvas', { id: 'tl', role: 'img', tabindex: '0', 'aria-label': describe() });
    host.replaceChildren(
        el(
            'div',
            { class: 'gut' },
            ...lanes.map((lane) => lane.gutter),
            el(
                'div',
                { class: 'lane ax' },
                el('span', { class: 'm' }, spanMs < 60_000 ? 'time since start' : 'min:s since start'),
            ),
        ),
        el('div', { class: 'plot' }, canvas),
    );
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const main = lanes.find((lane) => lane.series.name === 'heap') ?? lanes[0];
    let palette = readPalette();
    let cursorMs = main && main.peak >= 0 ? main.series.at[main.peak] : span.from;

    const withPeak = lanes.filter((lane) => lane.peak >= 0 && lane.big);
    jumps?.replaceChildren(
        ...withPeak.map(({ series: s, peak }) =>
            el(
                'button',
                {
                    type: 'button',
                    class: 'btn',
                    onclick: () => moveTo(s.at[peak]),
                },
                `Peak ${inSentence(s.title)} `,
                el('span', { class: 'k' }, moment(s.at[peak] - span.from, spanMs)),
            ),
        ),
    );
    jumps?.classList.add('jumps');

    /** A title inside a sentence: "RSS" stays, "Heap" does not. @param {string} title */
    function inSentence(title) {
        return title.slice(1) === title.slice(1).toLowerCase() ? title.toLowerCase() : title;
    }

    function describe() {
        const peaks = lanes
            .filter(({ peak }) => peak >= 0)
            .map(
                ({ series: s, peak, format }) =>
                    `${s.title} peaks at ${format.short(s.max[peak])} at ${moment(s.at[peak] - span.from, spanMs)}`,
            );
        const names = series.map((s) => s.title).join(', ');
        return `${names} over ${moment(spanMs, 0)}. ${peaks.join('; ')}. Arrow keys move the cursor.`;
    }

    /** @param {number} ms */
    function moveTo(ms) {
        cursorMs = Math.max(span.from, Math.min(span.to, ms));
        draw();
    }

    const right = (/** @type {number} */ width) => (width > NARROW_PX ? MARGIN_PX.wide : MARGIN_PX.narrow);

    function draw() {
        const width = canvas.clientWidth;
        if (!width) return;
        const height = lanes.reduce((sum, lane) => sum + laneHeight(lane), 0) + AXIS_PX;
        const scale = Math.max(1, window.devicePixelRatio || 1);
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.height = `${height}px`;
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.textBaseline = 'middle';
        g.font = `11px ${palette.sans}`;
        const toX = (/** @type {number} */ ms) =>
            LEFT_PX + ((width - LEFT_PX - right(width)) * (ms - span.from)) / spanMs;
        const bottom = height - AXIS_PX;
        const ticks = timeTicks(spanMs, Math.max(2, (width - LEFT_PX) / TICK_PX));
        for (const tick of ticks) fill('border', Math.round(toX(span.from + tick)), 0, 1, bottom);
        let y = 0;
        for (const lane of lanes) {
            drawLane(lane, y, width, toX);
            y += laneHeight(lane);
        }
        drawCursor(toX, bottom);
        drawAxis(ticks, toX, bottom, width);
    }

    /** @param {typeof lanes[number]} lane */
    const laneHeight = ({ big }) => (big ? LANE_PX.big : LANE_PX.small);

    /**
     * @param {keyof import('../lib/colour.js').Palette['of']} ink
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

    /**
     * @param {typeof lanes[number]} lane
     * @param {number} y
     * @param {number} width
     * @param {(ms: number) => number} toX
     */
    function drawLane(lane, y, width, toX) {
        const height = laneHeight(lane);
        const base = y + height - FOOT_PX;
        const head = y + (lane.big ? HEAD_PX.big : HEAD_PX.small);
        const toY = (/** @type {number} */ value) => base - ((base - head) * Math.max(0, value)) / lane.top;
        fill('border', 0, y + height - 1, width, 1);
        const line = decimate(lane.series, toX);
        if (!line.length) {
            g.fillStyle = palette.of.muted;
            g.fillText('not recorded', toX(span.from) + 8, y + height / 2);
        } else {
            drawLine(line, toY, base);
        }
        if (width > NARROW_PX) {
            g.fillStyle = palette.of.muted;
            g.fillText(lane.format.short(lane.top), width - MARGIN_PX.wide + 14, head + 4);
            g.fillText('0', width - MARGIN_PX.wide + 14, base - 4);
        }
        if (lane.peak >= 0 && lane.big) markPeak(lane, y, toX, toY, width);
    }

    /** @param {{x: number, value: number}[]} line @param {(value: number) => number} toY @param {number} base */
    function drawLine(line, toY, base) {
        const last = line[line.length - 1];
        g.beginPath();
        g.moveTo(line[0].x, base);
        line.forEach(({ x, value }) => g.lineTo(x, toY(value)));
        g.lineTo(last.x, base);
        g.closePath();
        g.fillStyle = palette.of['series-fill'];
        g.fill();
        g.beginPath();
        line.forEach(({ x, value }) => g.lineTo(x, toY(value)));
        g.lineJoin = 'round';
        g.lineWidth = 1.25;
        g.strokeStyle = palette.of.series;
        g.stroke();
        if (line.length === 1) fill('series', last.x - 2, toY(last.value) - 2, 4, 4);
    }

    /**
     * @param {typeof lanes[number]} lane
     * @param {number} top
     * @param {(ms: number) => number} toX
     * @param {(value: number) => number} toY
     * @param {number} width
     */
    function markPeak({ series: s, peak, format }, top, toX, toY, width) {
        const x = toX(s.at[peak]);
        const y = toY(s.max[peak]);
        g.fillStyle = palette.of.text;
        g.beginPath();
        g.arc(x, y, 3.5, 0, 2 * Math.PI);
        g.fill();
        g.strokeStyle = palette.of.surface;
        g.lineWidth = 1.5;
        g.stroke();
        const text = `${width > NARROW_PX ? 'peak ' : ''}${format.short(s.max[peak])}`;
        const length = g.measureText(text).width;
        const onLeft = x + length + 14 > width - right(width);
        halo(text, onLeft ? x - length - 8 : x + 8, Math.max(top + 7, y - 9));
    }

    /** @param {(ms: number) => number} toX @param {number} bottom */
    function drawCursor(toX, bottom) {
        const x = Math.round(toX(cursorMs));
        for (let y = 0; y < bottom; y += 4) fill('text', x, y, 1, 2);
        for (const { series: s, value, format } of lanes) {
            const point = pointAt(s, cursorMs);
            value.textContent = point < 0 ? 'no data' : format.short(s.max[point]);
            value.title = point < 0 ? '' : format.exact(s.max[point]);
        }
    }

    /** Round moments without the zeros of a measured one. @param {number} tick */
    const tickName = (tick) => moment(tick, spanMs).replace(/\.0+(?= )|(\.[1-9]+)0+(?= )/, '$1');

    /** @param {number[]} ticks @param {(ms: number) => number} toX @param {number} bottom @param {number} width */
    function drawAxis(ticks, toX, bottom, width) {
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
    }

    /** @param {PointerEvent} event */
    function point(event) {
        const { left, width } = canvas.getBoundingClientRect();
        moveTo(span.from + ((event.clientX - left - LEFT_PX) / (width - LEFT_PX - right(width))) * spanMs);
    }

    /** From point to point of the main lane. @param {KeyboardEvent} event */
    function keydown(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step || !main?.series.at.length) return;
        event.preventDefault();
        const { at } = main.series;
        const next = pointAt(main.series, cursorMs) + step;
        moveTo(at[Math.max(0, Math.min(at.length - 1, next))]);
    }

    canvas.addEventListener('pointermove', point);
    canvas.addEventListener('pointerdown', point);
    canvas.addEventListener('keydown', keydown);
    return {
        update: draw,
        /** To the heap's highest point. */
        toPeak() {
            if (main && main.peak >= 0) moveTo(main.series.at[main.peak]);
        },
        recolour() {
            palette = readPalette();
            draw();
        },
    };
}
