// SPDX-License-Identifier: Apache-2.0
/*
 * The timeline: a lane for each series, all on one axis, with one cursor. The value at the cursor is in the gutter on
 * the left. The window on it is chosen elsewhere (window.js); here it is drawn. The axis zooms: with Ctrl and the
 * wheel, two fingers, + and -, and to the window. Where no window can be chosen, dragging zooms.
 */
import { sizeCanvas } from '../dom/canvas.js';
import { readPalette } from '../dom/colour.js';
import { el, listen, refill } from '../dom/elements.js';
import { CLICK_PX, holdPointer } from '../dom/hold.js';
import { followPinch } from '../dom/pinch.js';
import { exactMoment, formatOf, moment } from '../lib/units.js';
import { firstLanes, makeLanes } from '../model/lanes.js';
import { layerAt } from '../model/layers.js';
import { ROOT } from '../model/profile.js';
import { isHeap, lastBefore, pointAt } from '../model/series.js';
import { binAt } from '../model/time.js';
import { isZoomed, viewWithin, zoomedAt } from '../model/zoom.js';
import { createLanePainter } from './lanes/lanes.js';
import { AXIS_PX, isBig, laneHeight, lanesHeight, timeScale, valueScale } from './lanes/scale.js';
import { createLegend } from './legend.js';
import { createOverview } from './overview.js';
import { term } from './terms.js';
import { NO_DATA, inSentence } from './words.js';

/** The selected frame is drawn over time once the choice rests. */
const REST_MS = 120;
/** A step of the keys, and of a pixel of the wheel. */
const ZOOM_STEP = 1.6;
const WHEEL_STEP = 0.002;
const LIFE = /** @type {(keyof import('../model/state.js').State)[]} */ ([
    /* @__KEY__ */ 'selected',
    /* @__KEY__ */ 'tab',
    /* @__KEY__ */ 'threads',
    /* @__KEY__ */ 'through',
    /* @__KEY__ */ 'hide',
    /* @__KEY__ */ 'drop',
    /* @__KEY__ */ 'away',
    /* @__KEY__ */ 'lent',
    /* @__KEY__ */ 'by',
    /* @__KEY__ */ 'order',
    /* @__KEY__ */ 'split',
]);

/** Memory of the process and of its heap. @param {import('../model/lanes.js').Member} member */
const isMain = ({ series }) => /^(rss|heap)$/.test(series.name);

/** @typedef {ReturnType<typeof createTimeline>} Timeline */

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {HTMLElement | null} jumps  takes the buttons to the peaks
 * @param {typeof import('./bands.js').createBands | null} phases  of a run that made marks
 * @param {{
 *     split: typeof import('../model/resident.js').splitResident,
 *     paint: typeof import('./lanes/resident.js').paintResident,
 * }} [resident]  where resident memory can be told apart
 */
export function createTimeline(store, host, jumps, phases, resident) {
    const { select } = store;
    const span = select.span();
    /** What is shown of it. */
    let view = { ...span, run: span };
    /** What is being dragged, where that zooms. @type {{from: number, to: number} | null} */
    let dragged = null;
    let resized = () => {};
    /** The frame under the pointer, and where the pointer is in the plot; ROOT and -1: not there. */
    let hovered = ROOT;
    let pointerY = -1;
    const { history, failure } = store.profile;
    const spanMs = span.to - span.from;
    const clock = spanMs < 60_000 ? 'time' : spanMs < 3_600_000 ? 'min:s' : 'h:min:s';
    const all = makeLanes(store.profile, resident?.split);
    const members = all.flatMap((lane) => lane.members);
    const gutters = all.map(createGutter);
    const first = firstLanes(all);
    let lanes = all.slice(0, first);
    const more = el('button', { class: 'link', hidden: first === all.length, onclick: toggle });
    const canvas = el('canvas', { id: 'tl', role: 'img', tabindex: '0' });
    const overview = createOverview(span, overviewOf(), show);
    const plot = el('div', { class: 'plot' }, canvas, overview.element);
    const axis = el('div', { class: 'lane ax' }, more, el('span', { class: 'm' }, `${clock} since start`));
    const gutter = el('div', { class: 'gut' });
    const legend = createLegend(store);
    const names = host.parentElement?.querySelectorAll('.lanes-none') ?? [];
    const foot = el('div', { class: 'tl-foot' }, legend.element, ...names);
    const bands = phases?.(store, show);
    refill(host, ...(bands ? [bands.label, bands.element] : []), gutter, plot, foot);
    const heap = members.find(({ series }) => isHeap(series));
    const main = heap ?? sought()[0] ?? members[0];
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

    const zoomOut = el('button', { class: 'btn', hidden: true, onclick: () => show(span.from, span.to) }, 'Whole run');
    const zoomIn = el('button', { class: 'btn', hidden: true, onclick: zoomToWindow }, 'Zoom to the window');
    jumps?.replaceChildren(
        ...(history ? [] : [el('span', { class: 'muted' }, 'Drag to zoom')]),
        zoomIn,
        zoomOut,
        ...sought().map(({ series: s, peak }) =>
            el(
                'button',
                {
                    class: 'btn',
                    onclick: () => openPeak(s, s.at[peak]),
                },
                `Peak ${s.name === 'rss' && s.short ? s.short : inSentence(s.title)} `,
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
        // Memory of the process can be highest just after the last sample of its heap.
        const bin = Math.max(0, Math.min(history.bins.count - 1, binAt(history.bins, ms)));
        store.set({ tab: tab.name, window: isHeap(series) ? null : { first: bin, last: bin } });
    }

    /** Whose peaks have a button: memory of the process and of its heap; without them, any memory. */
    function sought() {
        const withPeak = members.filter(({ series: s, peak }) => peak >= 0 && s.unit === 'bytes');
        const known = withPeak.filter(isMain);
        return known.length ? known : withPeak;
    }

    function describe() {
        const lines = lanes.flatMap((lane) => lane.members);
        const peaks = lines
            .filter(({ peak }) => peak >= 0)
            .map(({ series: s, peak }) => {
                const value = formatOf(s.unit).short(s.max[peak]);
                return `${s.title} ${value} at ${moment(s.at[peak] - span.from, spanMs)}`;
            });
        const names = lines.map(({ series: s }) => s.title).join(', ');
        const unknown = lines
            .filter(({ series: s }) => s.unknownFrom !== undefined && s.unknownFrom < span.to)
            .map(({ series: s }) => {
                const when = moment(/** @type {number} */ (s.unknownFrom) - span.from, spanMs);
                return ` ${s.title} is not known after ${when}.`;
            });
        const edges = history ? ', [ and ] begin and end a window there' : '';
        const keys = `Arrow keys move the cursor, + and - zoom${edges}.`;
        const highest = peaks.length ? ` Highest: ${peaks.join('; ')}.` : '';
        return `${names} over ${moment(spanMs, 0)}.${highest}${unknown.join('')} ${keys}`;
    }

    /** @param {number} ms */
    function moveTo(ms) {
        cursorMs = Math.max(span.from, Math.min(span.to, ms));
        draw();
    }

    /** The line that stands for the run. */
    function overviewOf() {
        const memory = members.find(isMain);
        return (memory ?? members[0])?.series ?? null;
    }

    /** @param {number} from @param {number} to */
    function show(from, to) {
        view = { ...viewWithin(span, from, to), run: span };
        draw();
        updateZoom();
        resized();
    }

    /** @param {number} factor @param {number} [ms]  stays where it is */
    function zoom(factor, ms = cursorMs) {
        const next = zoomedAt(span, view, ms, factor);
        show(next.from, next.to);
    }

    /** The window with some room on both sides. */
    function zoomToWindow() {
        const part = select.part();
        if (!part) return;
        const room = (part.to - part.from) / 20;
        show(part.from - room, part.to + room);
    }

    function updateZoom() {
        zoomOut.hidden = !isZoomed(span, view);
        zoomIn.hidden = !select.part();
    }

    /** The window in pixels, with the heap's highest moment in it. @returns {import('./lanes/lanes.js').Part | null} */
    function partIn(/** @type {(ms: number) => number} */ toX) {
        if (dragged) return { from: toX(dragged.from), to: toX(dragged.to), highest: null, against: null };
        const part = select.part();
        if (!part) return null;
        const lane = lanes.find((one) => heap && one.members.includes(heap)) ?? null;
        const highest = lane && !part.isBlank ? { lane, x: toX(part.peakMs), value: part.peakBytes } : null;
        const other = select.against();
        const against = other && { from: toX(other.from), to: toX(other.to) };
        return { from: toX(part.from), to: toX(part.to), highest, against };
    }

    /**
     * What the frame under the pointer holds over time, or the one that a person selected: for the lane of the heap.
     * @returns {import('./lanes/lanes.js').Life | null}
     */
    function lifeNow() {
        const node = hovered || (select.isChosen() ? store.state.selected : ROOT);
        const life = history && isRested && heap ? select.life(node) : null;
        if (!life || !history || life.most <= 0) return null;
        const { name, owner } = select.label(node);
        return { at: history.bins.peakMs, value: life.bytes, heap: history.bins.peak, name, owner };
    }

    /**
     * What functions hold over time: while nobody asks for one of them.
     * @returns {import('./lanes/lanes.js').Stack | null}
     */
    function stackNow() {
        const layers = history && isRested && heap ? select.layers() : [];
        return history && layers.length ? { at: history.bins.peakMs, layers } : null;
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
        bands?.draw(view, width);
        const g = sizeCanvas(canvas, width, bottom + AXIS_PX);
        const painter = createLanePainter(g, palette, view, width, resident?.paint);
        const life = lifeNow();
        const stack = life ? null : stackNow();
        painter.lanes(lanes, partIn(timeScale(view, width).toX), life, stack);
        if (history) {
            // Of the moment that the gutter has, which is not known before the first sample and 0 at it.
            const ms = heap?.series.at[pointAt(heap.series, cursorMs)];
            const bin = ms === undefined ? -1 : binAt(history.bins, ms);
            canvas.title = legend.update({ life, stack, bin, pointed: layerUnder(stack, bin) });
        }
        if (failure !== null) painter.failure(span.to, failure || 'failed', bottom);
        painter.cursor(cursorMs, bottom);
        painter.axis(cursorMs, bottom);
        overview.draw(isZoomed(span, view) ? view : null, palette);
        for (const { values } of gutters) {
            for (const { series: s, value } of values) {
                const { short, exact } = formatOf(s.unit);
                const point = pointAt(s, cursorMs);
                value.textContent = point < 0 ? NO_DATA : short(s.max[point]);
                value.title = point < 0 ? '' : exact(s.max[point]);
            }
        }
    }

    /**
     * The layer of the stack under the pointer; -1 = none.
     * @param {import('./lanes/lanes.js').Stack | null} stack
     * @param {number} bin
     */
    function layerUnder(stack, bin) {
        const place = lanes.findIndex((lane) => heap && lane.members.includes(heap));
        if (!stack || place < 0 || pointerY < 0) return -1;
        const { toValue } = valueScale(lanes[place], lanesHeight(lanes.slice(0, place)));
        return layerAt(stack.layers, bin, toValue(pointerY));
    }

    /** @param {number} x  of the page */
    function msAtX(x) {
        const { left, width } = canvas.getBoundingClientRect();
        return timeScale(view, width).toMs(x - left);
    }

    /** The moment under a pointer. @param {MouseEvent} event */
    const msAt = (event) => msAtX(event.clientX);

    /** From bin to bin, or from point to point of the main lane. @param {KeyboardEvent} event */
    function keydown(event) {
        const factor = { '+': 1 / ZOOM_STEP, '-': ZOOM_STEP }[event.key];
        if (factor) zoom(factor);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const at = history ? history.bins.peakMs : main?.series.at;
        if (!step || !at?.length) return;
        event.preventDefault();
        const next = lastBefore(at, cursorMs) + step;
        moveTo(at[Math.max(0, Math.min(at.length - 1, next))]);
    }

    /** Without bins no window can be chosen: what is dragged is zoomed to. @param {PointerEvent} down */
    function dragToZoom(down) {
        const start = msAt(down);
        const move = (/** @type {PointerEvent} */ event) => {
            const isClick = !dragged && Math.abs(event.clientX - down.clientX) < CLICK_PX;
            const ms = Math.min(Math.max(msAt(event), view.from), view.to);
            dragged = isClick ? null : { from: Math.min(start, ms), to: Math.max(start, ms) };
            draw();
        };
        const end = (/** @type {PointerEvent} */ event) => {
            const chosen = event.type === 'pointerup' ? dragged : null;
            dragged = null;
            if (chosen) show(chosen.from, chosen.to);
            else draw();
        };
        holdPointer(canvas, down, move, end);
    }

    listen(plot, 'pointermove', (event) => {
        if (event.target === overview.element) return;
        pointerY = event.clientY - canvas.getBoundingClientRect().top;
        moveTo(msAt(event));
    });
    listen(plot, 'pointerleave', () => {
        pointerY = -1;
        draw();
    });
    listen(plot, 'pointerdown', (event) => event.target !== overview.element && moveTo(msAt(event)));
    if (!history) {
        listen(canvas, 'pointerdown', (event) => event.button === 0 && dragToZoom(event));
        listen(canvas, 'dblclick', () => show(span.from, span.to));
    }
    listen(plot, 'wheel',
        (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(Math.exp(event.deltaY * WHEEL_STEP), msAt(event));
        },
        { passive: false },
    );
    followPinch(plot, (factor, x) => zoom(1 / factor, msAtX(x)));
    listen(canvas, 'keydown', keydown);
    store.onChange((changed) => {
        if (changed.has(/* @__KEY__ */ 'window') || changed.has(/* @__KEY__ */ 'against')) draw();
        if (changed.has(/* @__KEY__ */ 'window')) updateZoom();
        if (LIFE.some((name) => changed.has(name))) rest();
    });
    store.onHover((node) => {
        if (node === hovered) return;
        hovered = node;
        rest();
    });
    updateZoom();
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
        xOf: (ms) => timeScale(view, canvas.clientWidth).toX(ms),
        /** Whether a moment is in what is shown. @param {number} ms */
        isShown: (ms) => ms >= view.from && ms <= view.to,
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
    const isOne = !values[1];
    const element = el('div', { class: `lane${isBig(lane) ? ' big' : ''}${isOne ? '' : ' pair'}` });
    element.style.height = `${laneHeight(lane)}px`;
    const [{ series, value }] = values;
    const lines = lane.members.flatMap(({ series: { name: kind, note }, look, name }, i) => [
        el('span', { class: `p ${look} ${kind}`, title: note }, term(name)),
        values[i].value,
    ]);
    const rest = isOne ? [value, el('span', { class: 'm' }, series.note)] : lines;
    refill(element, el('span', { class: 'n' }, term(lane.title)), ...rest);
    return { element, values };
}
