// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline: a lane for each series, all on one axis, with one cursor. The value at the cursor is in the gutter on
 * the left. The window on it is chosen elsewhere (window.js); here it is drawn.
 */
import { readPalette } from '../dom/colour.js';
import { el, listen, refill } from '../dom/elements.js';
import { exactMoment, formatOf, moment } from '../lib/units.js';
import { firstLanes, makeLanes } from '../model/lanes.js';
import { isHeap, lastBefore, pointAt } from '../model/series.js';
import { binAt } from '../model/time.js';
import { createLanePainter } from './lanes/lanes.js';
import { AXIS_PX, laneHeight, lanesHeight, timeScale } from './lanes/scale.js';

/** The selected frame is drawn over time once the choice rests. */
const REST_MS = 120;
const LIFE = /** @type {const} */ (['selected', 'tab', 'threads', 'through', 'hide', 'drop', 'by', 'order', 'split']);

/** @typedef {ReturnType<typeof createTimeline>} Timeline */

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {HTMLElement | null} jumps  takes the buttons to the peaks
 */
export function createTimeline(store, host, jumps) {
    const { select } = store;
    const span = select.span();
    let resized = () => {};
    const { history, failure } = store.profile;
    const spanMs = span.to - span.from;
    const clock = spanMs < 60_000 ? 'time' : spanMs < 3_600_000 ? 'min:s' : 'h:min:s';
    const all = makeLanes(store.profile);
    const gutters = all.map(createGutter);
    const first = firstLanes(all);
    let lanes = all.slice(0, first);
    const more = el('button', { class: 'link', hidden: first === all.length, onclick: toggle });
    const canvas = el('canvas', { id: 'tl', role: 'img', tabindex: '0' });
    const plot = el('div', { class: 'plot' }, canvas);
    const axis = el('div', { class: 'lane ax' }, more, el('span', { class: 'm' }, `${clock} since start`));
    const gutter = el('div', { class: 'gut' });
    refill(host, gutter, plot);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const members = all.flatMap((lane) => lane.members);
    const main = members.find(({ series }) => isHeap(series)) ?? sought()[0] ?? members[0];
    let palette = readPalette();
    let cursorMs = main && main.peak >= 0 ? main.series.at[main.peak] : span.from;
    arrange();

    /** The lanes that are drawn, and how to get the others. */
    function arrange() {
        const rest = all.slice(first);
        refill(gutter, ...gutters.slice(0, lanes.length).map(({ element }) => element), axis);
        const isOpen = lanes.length > first;
        more.textContent = isOpen ? 'Fewer lanes' : `${rest.length} more ${rest.length === 1 ? 'lane' : 'lanes'}`;
        more.title = rest.map(({ title }) => title).join(', ');
        more.setAttribute('aria-expanded', String(isOpen));
        canvas.setAttribute('aria-label', describe());
    }

    function toggle() {
        lanes = lanes.length > first ? all.slice(0, first) : all;
        arrange();
        draw();
        resized();
    }

    jumps?.replaceChildren(
        ...sought().map(({ series: s, peak }) =>
            el(
                'button',
                {
                    class: 'btn',
                    onclick: () => openPeak(s, s.at[peak]),
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

    /**
     * The cursor goes to a peak, and the views show the heap at that moment.
     * @param {import('../model/profile.js').Series} series
     * @param {number} ms
     */
    function openPeak(series, ms) {
        moveTo(ms);
        const tab = store.tabs.find(({ metric }) => select.metricAt(metric)?.name === 'peak');
        if (!tab || !history) return;
        const bin = binAt(history.bins, ms);
        store.set({ tab: tab.name, window: isHeap(series) ? null : { first: bin, last: bin } });
    }

    /** Whose peaks have a button: memory of the process and of its heap; without them, any memory. */
    function sought() {
        const withPeak = members.filter(({ series: s, peak }) => peak >= 0 && s.unit === 'bytes');
        const known = withPeak.filter(({ series: s }) => s.name === 'rss' || s.name === 'heap');
        return known.length ? known : withPeak;
    }

    /** A title inside a sentence: "RSS" stays, "Heap" does not. @param {string} title */
    function inSentence(title) {
        return title.slice(1) === title.slice(1).toLowerCase() ? title.toLowerCase() : title;
    }

    function describe() {
        const lines = lanes.flatMap((lane) => lane.members);
        const peaks = lines
            .filter(({ peak }) => peak >= 0)
            .map(({ series: s, peak }) => {
                const value = formatOf(s.unit).short(s.max[peak]);
                return `${s.title} peaks at ${value} at ${moment(s.at[peak] - span.from, spanMs)}`;
            });
        const names = lines.map(({ series: s }) => s.title).join(', ');
        const unknown = lines
            .filter(({ series: s }) => s.unknownFrom !== undefined && s.unknownFrom < span.to)
            .map(({ series: s }) => {
                const when = moment(/** @type {number} */ (s.unknownFrom) - span.from, spanMs);
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
        const lane = lanes.find((one) => one.members.some(({ series }) => isHeap(series))) ?? null;
        const highest = lane && { lane, x: toX(part.peakMs), value: part.peakBytes };
        const other = select.against();
        const against = other && { from: toX(other.from), to: toX(other.to) };
        return { from: toX(part.from), to: toX(part.to), highest, against };
    }

    /**
     * What the selected frame holds over time, for the lane of the heap.
     * @returns {import('./lanes/lanes.js').Life | null}
     */
    function lifeNow() {
        const life = history && isRested ? select.life() : null;
        if (!life || !history || life.most <= 0) return null;
        const { name, owner } = select.label(store.state.selected);
        return { at: history.bins.peakMs, value: life.bytes, heap: history.bins.peak, name, owner };
    }

    // Half of the data of a page is about time, and not needed to open it.
    let isRested = false;
    let timer = 0;
    function rest() {
        clearTimeout(timer);
        timer = window.setTimeout(() => {
            isRested = true;
            draw();
        }, REST_MS);
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
        painter.lanes(lanes, partIn(timeScale(span, width).toX), lifeNow());
        if (failure !== null) painter.failure(span.to, failure || 'failed', bottom);
        painter.cursor(cursorMs, bottom);
        painter.axis(cursorMs, bottom);
        for (const { values } of gutters) {
            for (const { series: s, value } of values) {
                const { short, exact } = formatOf(s.unit);
                const point = pointAt(s, cursorMs);
                value.textContent = point < 0 ? 'no data' : short(s.max[point]);
                value.title = point < 0 ? '' : exact(s.max[point]);
            }
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
    store.onChange((changed) => {
        if (changed.has('window') || changed.has('against')) draw();
        if (LIFE.some((name) => changed.has(name))) rest();
    });
    rest();
    return {
        update: draw,
        /** Where handles can be: an element as wide as the canvas. */
        plot,
        canvas,
        get lanesHeight() {
            return lanesHeight(lanes);
        },
        /** @param {() => void} listener  is called when lanes came or went */
        onResize: (listener) => void (resized = listener),
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

/**
 * The names of a lane and of its lines, with the values at the cursor.
 * @param {import('../model/lanes.js').Lane} lane
 */
function createGutter(lane) {
    const values = lane.members.map(({ series }) => ({ series, value: el('span', { class: 'c' }) }));
    const element = el('div', { class: lane.unit === 'bytes' ? 'lane big' : 'lane' });
    element.style.height = `${laneHeight(lane)}px`;
    const [{ series, value }] = values;
    if (values.length === 1) {
        refill(element, el('span', { class: 'n' }, lane.title), value, el('span', { class: 'm' }, series.note));
        return { element, values };
    }
    element.classList.add('pair');
    refill(
        element,
        el('span', { class: 'n' }, lane.title),
        ...lane.members.flatMap((member, i) => [
            el('span', { class: `p ${member.look}`, title: member.series.note }, member.name),
            values[i].value,
        ]),
    );
    return { element, values };
}
