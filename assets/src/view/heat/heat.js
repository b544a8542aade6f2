// SPDX-License-Identifier: Apache-2.0
/*
 * The heat map of time: a column is a second, a cell 20 ms of it, from top to bottom; darker is more. A drag, two
 * clicks, or Enter at two cells choose the part of the run that the views show. Where a run has more seconds than the
 * page has room, columns are longer until they fit; shorter ones scroll.
 */
import { clearButton, el, listen, refill } from '../../dom/elements.js';
import { duration, formatOf, instant } from '../../lib/units.js';
import { cellsOf, spanText, widerCells } from '../../model/heat.js';
import { AXIS_PX, STEPS, fits, gridOf, paintMap, rampOf, rowPx } from './map.js';

/** @typedef {import('../../model/heat.js').Span} Span */
/** @typedef {import('../../model/heat.js').Heat} Heat */

/** How many cells become one. */
const WIDER = [1, 5, 15, 60, 300, 1800, 3600, 18000, 86400];

/** Of the steps from nothing to the most, those that are shown. */
const SWATCHES = [0, STEPS / 4, STEPS / 2, (STEPS / 4) * 3, STEPS];

/**
 * @param {import('../../store/store.js').Store} store
 * @param {(name: string) => HTMLElement | null} mount  finds a place to fill
 */
export function createHeat(store, mount) {
    const { heat } = store.profile;
    const host = mount('heat');
    if (heat && host) return createMap(store, host, heat);
    // The difference of two cards has none.
    host?.closest('section')?.remove();
    return null;
}

/**
 * @param {import('../../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {Heat} heat
 */
function createMap(store, host, heat) {
    const { select } = store;
    const { slotNs, rows, gridNs, layers } = heat;
    const endNs = heat.slots * slotNs;
    const isApart = heat.isApart && store.profile.series.length > 0;
    /** That of the open tab, if its metric has one. */
    const layer = () => layers.find(({ metric }) => metric === select.metricNumber()) ?? layers[0];
    const shown = () => select.metricAt(layer().metric);
    const amount = (/** @type {number} */ value) => formatOf(shown().unit).short(value);
    const keys = 'Arrows move, Enter marks start and end, Escape clears.';
    const canvas = el('canvas', {
        role: 'application',
        tabindex: '0',
        'aria-label': `A column is ${length(rows)}, a cell ${length(1)}. ${keys}`,
    });
    const wide = el('div', {}, canvas);
    const scroller = el('div', { class: 'scroll' }, wide);
    const [top, middle] = [el('span'), el('span')];
    const gutter = el('div', { class: 'rows ticks', 'aria-hidden': 'true' }, top, middle);
    const read = el('span', { class: 'at muted' });
    const status = el('p', { class: 'vh', role: 'status' });
    const text = el('span');
    const clear = clearButton('Clear the selection', () => choose(null));
    const swatches = el('span', { class: 'ramp', 'aria-hidden': 'true' });
    const scale = el('select', { 'aria-label': 'Length of a column', onchange: () => fill() });
    const levels = WIDER.filter((_, i) => !i || heat.slots >= rows * WIDER[i - 1]);
    refill(scale, ...levels.map((many) =>
        el('option', { value: many }, `${length(many * rows)} a column, ${length(many)} a cell`)));
    scale.hidden = levels.length < 2;
    refill(
        host,
        el('div', { class: 'bar' }, text, clear, read, el('span', { class: 'push' }, scale, swatches)),
        el('div', { class: 'plot' }, gutter, scroller),
        status,
    );

    let cells = /** @type {Float64Array | null} */ (null);
    let grid = /** @type {import('./map.js').Grid | null} */ (null);
    let counted = /** @type {unknown} */ (undefined);
    let filled = /** @type {unknown} */ (undefined);
    /** Where each cell has as much as any other, the facts of the selected frame, and its name. */
    let only = /** @type {Uint8Array | null} */ (null);
    let name = '';
    let colours = rampOf();
    /** Where a part begins that has no end yet; -1 = nowhere. */
    let anchor = -1;
    let cursor = -1;
    let pressed = -1;
    let isMoved = false;

    /** @param {number} slots */
    function length(slots) {
        return duration(slots * slotNs);
    }

    /** The part of the run that is shown; null = all of it. */
    const chosen = () => heat.spanOf(select.during());

    /** @param {number} ns @param {number} stepNs */
    const moment = (ns, stepNs = slotNs) => instant(ns / 1e6, endNs / 1e6, Math.max(1, stepNs / 1e6));

    /** @param {Span} span */
    const edgesOf = ({ from, to }) => `${moment(from)} \u2013 ${moment(to)}`;

    /** For a hover. @param {Span} span */
    function exactly({ from, to }) {
        const { exact } = formatOf('nanoseconds');
        const total = formatOf(shown().unit).exact(shown().total);
        return `${exact(from)} \u2013 ${exact(to)}: ${total} in ${exact(to - from)}`;
    }

    /** Cells of the chosen threads, as wide as the run needs. */
    function fill() {
        const wanted = select.wanted();
        const room = scroller.clientWidth;
        if (!room) return;
        const drawn = layer();
        if (!cells || counted !== wanted || filled !== drawn) {
            cells = cellsOf(heat, drawn.read(), wanted);
            counted = wanted;
            filled = drawn;
        }
        if (!scale.value || !scale.dataset.chosen) {
            const fitting = levels.find((many) => fits(Math.ceil(heat.slots / many / rows), room));
            scale.value = String(fitting ?? levels[levels.length - 1]);
            scale.dataset.chosen = '1';
        }
        const many = Number(scale.value);
        const wider = (/** @type {Float64Array} */ all) => (many > 1 ? widerCells(all, many) : all);
        const before = grid?.cellNs;
        grid = gridOf(wider(cells), many * slotNs, rows, room);
        only = ofSelected();
        name = only ? select.label(store.state.selected).name : '';
        if (only) grid.cells = wider(cellsOf(heat, drawn.read(), only));
        if (before !== grid.cellNs) cursor = anchor = -1;
        wide.style.width = `${grid.columns * grid.columnPx}px`;
        top.textContent = '0 s';
        middle.textContent = duration((grid.cellNs * rows) / 2);
        refill(
            swatches,
            '0',
            ...SWATCHES.map((step) => {
                const swatch = el('i');
                swatch.style.background = colours.ramp[step];
                return swatch;
            }),
            amount(grid.most),
        );
        const most = formatOf(shown().unit).exact(grid.most);
        swatches.title = `${shown().title} in ${duration(grid.cellNs)}, all selected threads together: at most ${most}`;
        describe();
        reveal();
        paint();
    }

    /** What the map shows of a steady run, of which it would say nothing otherwise. */
    const ofSelected = () => (grid?.isSteady ? select.below(store.state.selected) : null);

    /** Scrolls to the chosen part. */
    function reveal() {
        const during = chosen();
        if (!grid || !during) return;
        const { cellNs, columnPx } = grid;
        const [from, to] = [during.from, during.to].map((ns) => Math.floor(ns / cellNs / rows) * columnPx);
        if (to < scroller.scrollLeft || from > scroller.scrollLeft + scroller.clientWidth)
            scroller.scrollLeft = Math.max(0, (from + to - scroller.clientWidth) / 2);
    }

    function paint() {
        if (!grid) return;
        const open = pressed >= 0 && isMoved ? pressed : anchor;
        const preview = open >= 0 && cursor >= 0 ? spanOf(open, cursor) : chosen();
        paintMap(canvas, grid, {
            left: scroller.scrollLeft,
            width: Math.min(scroller.clientWidth, grid.columns * grid.columnPx),
            chosen: preview,
            cursor,
            colours,
        });
    }

    /** Two cells and all between them. @param {number} one @param {number} other */
    function spanOf(one, other) {
        const { cellNs } = /** @type {import('./map.js').Grid} */ (grid);
        return { from: Math.min(one, other) * cellNs, to: Math.min(endNs, (Math.max(one, other) + 1) * cellNs) };
    }

    /** @param {Span | null} during */
    function choose(during) {
        anchor = -1;
        const { metric } = layer();
        const tab = store.tabs.find((one) => one.metric === metric)?.name;
        const isOther = select.metricNumber() !== metric;
        store.set({ during: during ? spanText(during) : '', ...(during && isOther && tab ? { tab } : {}) });
    }

    /** A click or Enter: the start of a part, or its end. @param {number} cell */
    function mark(cell) {
        if (anchor >= 0) choose(spanOf(anchor, cell));
        else {
            anchor = cell;
            say(`From ${moment(spanOf(cell, cell).from)}. Select the end.`);
            describe();
            paint();
        }
    }

    /** @param {string} words */
    const say = (words) => refill(status, words);

    /** The cell at a point of the browser window, or -1. @param {{clientX: number, clientY: number}} point */
    function cellAt({ clientX, clientY }) {
        if (!grid) return -1;
        const { left, top: above } = canvas.getBoundingClientRect();
        const column = Math.floor((clientX - left + scroller.scrollLeft) / grid.columnPx);
        const row = Math.max(0, Math.min(rows - 1, Math.floor((clientY - above) / rowPx(rows))));
        return Math.max(0, Math.min(grid.cells.length - 1, column * rows + row));
    }

    function describeCell() {
        if (!grid || cursor < 0) {
            read.textContent = '';
            return;
        }
        const from = cursor * grid.cellNs;
        const much = amount(grid.cells[cursor]);
        read.textContent = `${moment(from, grid.cellNs)}: ${name} ${much} in ${duration(grid.cellNs)}`;
    }

    function describe() {
        const during = chosen();
        clear.hidden = !during;
        text.classList.toggle('muted', !during);
        if (during) {
            text.textContent = `${edgesOf(during)}: ${amount(shown().total)} in ${duration(during.to - during.from)}`;
        } else {
            const steady = name ? `Steady: darker is more ${name}. ` : '';
            const origin = isApart ? '; 0 s is the first sample, not the timeline\u2019s' : '';
            const asked = `${steady}Drag, or click start and end, to select a part of the run${origin}`;
            text.textContent = anchor < 0 ? asked : 'Select the end';
        }
        text.title = `Known to ${duration(Math.max(gridNs, layer().resolutionNs))}`;
        if (during) text.title = `${exactly(during)}. ${text.title}`;
        describeCell();
    }

    /** @param {number} cell */
    function moveTo(cell) {
        if (!grid) return;
        cursor = Math.max(0, Math.min(grid.cells.length - 1, cell));
        const x = Math.floor(cursor / rows) * grid.columnPx;
        if (x < scroller.scrollLeft) scroller.scrollLeft = x;
        if (x + grid.columnPx > scroller.scrollLeft + scroller.clientWidth)
            scroller.scrollLeft = x + grid.columnPx - scroller.clientWidth;
        describeCell();
        say(read.textContent ?? '');
        paint();
    }

    listen(canvas, 'pointerdown', (event) => {
        if (event.button !== 0 || event.pointerType === 'touch') return;
        canvas.setPointerCapture(event.pointerId);
        pressed = cellAt(event);
        isMoved = false;
    });
    listen(canvas, 'pointermove', (event) => {
        if (event.pointerType === 'touch') return;
        cursor = cellAt(event);
        isMoved ||= pressed >= 0 && cursor !== pressed;
        describeCell();
        paint();
    });
    listen(canvas, 'pointerup', (event) => {
        const cell = cellAt(event);
        const start = pressed;
        pressed = -1;
        if (event.pointerType === 'touch' || start < 0) return;
        if (isMoved) choose(spanOf(start, cell));
        else mark(cell);
        isMoved = false;
    });
    // A finger scrolls; its taps mark.
    listen(canvas, 'click', (event) => {
        if (/** @type {PointerEvent} */ (event).pointerType === 'touch') mark((cursor = cellAt(event)));
    });
    listen(canvas, 'pointerleave', () => {
        if (pressed >= 0) return;
        cursor = -1;
        describeCell();
        paint();
    });
    listen(canvas, 'keydown', (event) => {
        if (!grid) return;
        const by = /** @type {Record<string, number>} */ ({
            ArrowDown: 1,
            ArrowUp: -1,
            ArrowRight: rows,
            ArrowLeft: -rows,
            PageDown: 10 * rows,
            PageUp: -10 * rows,
            Home: -grid.cells.length,
            End: grid.cells.length,
        })[event.key];
        const now = cursor >= 0 ? cursor : Math.floor((chosen()?.from ?? 0) / grid.cellNs);
        if (by) moveTo(cursor < 0 && Math.abs(by) < grid.cells.length ? now : now + by);
        else if (event.key === 'Enter' || event.key === ' ') mark(now);
        else if (event.key === 'Escape') choose(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    listen(scroller, 'scroll', paint);

    store.onChange((changed) => {
        if (changed.has(/* @__KEY__ */ 'threads') || changed.has(/* @__KEY__ */ 'through')) fill();
        else if (layer() !== filled || ofSelected() !== only) fill();
        if (changed.has(/* @__KEY__ */ 'during') || changed.has(/* @__KEY__ */ 'window')) {
            reveal();
            paint();
            say(select.during() ? text.textContent ?? '' : 'Whole run');
        }
        describe();
    });
    wide.style.height = `${rows * rowPx(rows) + AXIS_PX}px`;
    return {
        update: fill,
        recolour() {
            colours = rampOf();
            if (grid) fill();
        },
    };
}
