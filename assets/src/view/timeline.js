// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline: a lane for each series, all on one axis, with one cursor. The value at the cursor is in the gutter on
 * the left. The window on it is chosen elsewhere (window.js); here it is drawn.
 */
import { readPalette } from '../dom/colour.js';
import { el, listen, refill } from '../dom/elements.js';
import { exactMoment, formatOf, moment } from '../lib/units.js';
import { highestPoint, lastBefore, niceTop, pointAt } from '../model/series.js';
import { createLanePainter } from './lanes/lanes.js';
import { AXIS_PX, lanesHeight, timeScale } from './lanes/scale.js';

/** A limit this many times the highest value is not drawn: all else would lie on the baseline. */
const LIMIT_SHARE = 4;

/** @typedef {ReturnType<typeof createTimeline>} Timeline */

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {HTMLElement | null} jumps  takes the buttons to the peaks
 */
export function createTimeline(store, host, jumps) {
    const { select } = store;
    const span = select.span();
    const { heapPeak, history } = store.profile;
    const series = store.profile.series.filter((s) => !s.quiet);
    const spanMs = span.to - span.from;
    const clock = spanMs < 60_000 ? 'time' : spanMs < 3_600_000 ? 'min:s' : 'h:min:s';
    const lanes = series.map((s) => {
        const big = s.unit === 'bytes';
        const format = formatOf(s.unit);
        const value = el('span', { class: 'c' });
        const highest = s.max.reduce((most, v) => Math.max(most, v), 0);
        const sampled = highest > 0 ? highestPoint(s) : -1; // 0 has no peak
        const peak = s.name === 'heap' && heapPeak ? pointAt(s, heapPeak.atMs) : sampled;
        const gutter = el(
            'div',
            { class: big ? 'lane big' : 'lane' },
            el('span', { class: 'n' }, s.title),
            value,
            el('span', { class: 'm' }, s.note),
        );
        const limit = s.limit !== undefined && highest * LIMIT_SHARE >= s.limit ? s.limit : 0;
        return {
            series: s,
            big,
            format,
            peak,
            value,
            gutter,
            limit,
            top: niceTop(Math.max(highest, limit), s.unit),
            unknownFrom: s.unknownFrom ?? null,
        };
    });
    const canvas = el('canvas', { id: 'tl', role: 'img', tabindex: '0', 'aria-label': describe() });
    const plot = el('div', { class: 'plot' }, canvas);
    refill(
        host,
        el(
            'div',
            { class: 'gut' },
            ...lanes.map((lane) => lane.gutter),
            el('div', { class: 'lane ax' }, el('span', { class: 'm' }, `${clock} since start`)),
        ),
        plot,
    );
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const main = lanes.find((lane) => lane.series.name === 'heap') ?? sought()[0] ?? lanes[0];
    let palette = readPalette();
    let cursorMs = main && main.peak >= 0 ? main.series.at[main.peak] : span.from;

    jumps?.replaceChildren(
        ...sought().map(({ series: s, peak }) =>
            el(
                'button',
                {
                    class: 'btn',
                    onclick: () => moveTo(s.at[peak]),
                },
                `Peak ${inSentence(s.title)} `,
                el(
                    'span',
                    { class: 'k', title: exactMoment(s.at[peak] - span.from) },
                    moment(s.at[peak] - span.from, spanMs),
                ),
            ),
        ),
    );
    jumps?.classList.add('jumps');

    /** Whose peaks have a button: memory of the process and of its heap; without them, any memory. */
    function sought() {
        const withPeak = lanes.filter((lane) => lane.peak >= 0 && lane.big);
        const first = withPeak.filter(({ series: s }) => s.name === 'rss' || s.name === 'heap');
        return first.length ? first : withPeak;
    }

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
        const cut = lanes.filter(({ unknownFrom: from }) => from !== null && from < span.to);
        const unknown = cut.map(({ series: s, unknownFrom: from }) => {
            const when = moment(/** @type {number} */ (from) - span.from, spanMs);
            return ` ${s.title} is not known after ${when}.`;
        });
        const keys = `Arrow keys move the cursor${history ? ', [ and ] begin and end a window there' : ''}.`;
        return `${names} over ${moment(spanMs, 0)}. ${peaks.join('; ')}.${unknown.join('')} ${keys}`;
    }

    /** @param {number} ms */
    function moveTo(ms) {
        cursorMs = Math.max(span.from, Math.min(span.to, ms));
        draw();
    }

    /** The window in pixels, with the heap's highest moment in it. @returns {import('./lanes/lanes.js').Part | null} */
    function partIn(/** @type {(ms: number) => number} */ toX) {
        const part = select.part();
        if (!part) return null;
        const lane = main?.series.name === 'heap' ? main : null;
        const highest = lane && { lane, x: toX(part.peakMs), value: part.peakBytes };
        const other = select.against();
        const against = other && { from: toX(other.from), to: toX(other.to) };
        return { from: toX(part.from), to: toX(part.to), highest, against };
    }

    function draw() {
        const width = canvas.clientWidth;
        if (!width) return;
        const bottom = lanesHeight(lanes);
        const height = bottom + AXIS_PX;
        const scale = Math.max(1, window.devicePixelRatio || 1);
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.height = `${height}px`;
        g.setTransform(scale, 0, 0, scale, 0, 0);
        const painter = createLanePainter(g, palette, span, width);
        painter.lanes(lanes, partIn(timeScale(span, width).toX));
        painter.cursor(cursorMs, bottom);
        painter.axis(cursorMs, bottom);
        for (const { series: s, value, format } of lanes) {
            const point = pointAt(s, cursorMs);
            value.textContent = point < 0 ? 'no data' : format.short(s.max[point]);
            value.title = point < 0 ? '' : format.exact(s.max[point]);
        }
    }

    /** The moment under a pointer. @param {MouseEvent} event */
    function msAt(event) {
        const { left, width } = canvas.getBoundingClientRect();
        return timeScale(span, width).toMs(event.clientX - left);
    }

    /** From bin to bin, or from point to point of the main lane. @param {KeyboardEvent} event */
    function keydown(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = history ? history.bins.peakMs : main?.series.at;
        if (!step || !at?.length) return;
        event.preventDefault();
        const next = lastBefore(at, cursorMs) + step;
        moveTo(at[Math.max(0, Math.min(at.length - 1, next))]);
    }

    listen(plot, 'pointermove', (event) => moveTo(msAt(event)));
    listen(plot, 'pointerdown', (event) => moveTo(msAt(event)));
    listen(canvas, 'keydown', keydown);
    store.onChange((changed) => (changed.has('window') || changed.has('against')) && draw());
    return {
        update: draw,
        /** Where handles can be: an element as wide as the canvas. */
        plot,
        canvas,
        lanesHeight: lanesHeight(lanes),
        msAt,
        /** @param {number} ms  in CSS pixels of the plot */
        xOf: (ms) => timeScale(span, canvas.clientWidth).toX(ms),
        get cursorMs() {
            return cursorMs;
        },
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
