// SPDX-License-Identifier: Apache-2.0
/*
 * The flamegraph: a canvas as high as what can be seen, in an element as high as the whole graph.
 *
 * Coordinates: `row` counts from the root; y is in CSS pixels from the top of the whole graph, so it depends on where
 * the root is; the canvas shows y from the scroll position on.
 */
import { readPalette } from '../dom/colour.js';
import { el } from '../dom/elements.js';
import { placeOf, shortPath, suffixOf } from '../lib/text.js';
import { formatOf, percent } from '../lib/units.js';
import { changeOf } from '../model/change.js';
import { frameOf } from '../model/first.js';
import { baseOf, nodeFor, smallerName } from '../model/graph.js';
import { account, boxAt, boxOf, rowCount, rowOf, zoomToShow } from '../model/layout.js';
import { OWNERS, OWNER_RUNNER, OWNER_SMALLER } from '../lib/owners.js';
import { ROOT } from '../model/profile.js';
import { brightBoxes } from '../model/search.js';
import { createOutline } from './outline.js';
import { ROW_PX, createPainter } from './painter.js';
import { followPinch } from './pinch.js';
import { createTooltip } from './tooltip.js';
import { ownerName, spanOfNs } from './words.js';

/** @typedef {import('../store/store.js').Store} Store */

/**
 * A picture of the page: the graph, or what is above the function in the middle of a sandwich.
 * @typedef {object} Pane
 * @property {import('../store/shown.js').Shown} shown
 * @property {() => boolean} isUpward     the root is at the bottom
 * @property {() => number} hiddenRows    so many rows from the root are not drawn
 * @property {() => number} zoom
 * @property {() => number} selected
 * @property {(node: number) => void} zoomTo
 */

/** A graph of more rows than this scrolls by itself; so does each half of a sandwich of as many. */
const MOST_ROWS = 36;
/** So wide is a picture that is saved while the graph cannot be seen. */
const HIDDEN_PX = 1200;
/** A row is never painted over the edge above it. */
const EDGE_PX = 1;
/** A longer path loses its middle in the tooltip. */
const PATH_CHARS = 72;
/** Two taps within this time zoom. */
const DOUBLE_TAP_MS = 400;
/** A frame that is brought into view becomes at least so wide. */
const REVEAL_PX = 48;

/**
 * The picture of the tabs; in a sandwich with one more for the callers, on top of it.
 * @param {Store} store
 * @param {HTMLElement} host
 */
export function createFlamegraph(store, host) {
    const { select } = store;
    const { isSandwich } = select;
    const graph = createPicture(store, host, {
        shown: select,
        isUpward: () => store.state.upward && !isSandwich(),
        hiddenRows: () => (isSandwich() ? 1 : 0),
        zoom: () => store.state.zoom,
        selected: () => store.state.selected,
        zoomTo: (zoom) => store.set({ zoom }),
    });
    const above = el('div', { class: 'above' });
    const callers = createPicture(store, above, {
        shown: select.callers,
        isUpward: () => true,
        hiddenRows: () => 2,
        zoom: () => select.zoomOfCallers(),
        selected: () => ROOT,
        zoomTo: store.zoomCallers,
    });
    const outline = createOutline(store, graph);
    host.prepend(outline.element);

    /** Shows a node of any graph of this profile. @param {import('../model/graph.js').Graph} of @param {number} node */
    function show(of, node) {
        const focus = frameOf(store.profile, of, node);
        if (isSandwich() && focus !== null) store.set({ focus });
        else graph.reveal(of === select.graph() ? node : nodeFor(select.graph(), baseOf(of, node)));
    }

    /** @param {Set<string>} [changed] */
    function update(changed) {
        if (!isSandwich()) above.remove();
        else if (!above.isConnected) outline.element.after(above);
        graph.update(changed);
        if (isSandwich()) callers.update(changed);
    }

    store.onChange(update);
    return {
        update,
        outline,
        reveal: graph.reveal,
        show,
        /** What is drawn, from the top down. @returns {import('./svg.js').Part[]} */
        parts: () => (isSandwich() ? [callers.part(), graph.part()] : [graph.part()]),
        /** The theme changed. */
        recolour() {
            graph.recolour();
            if (isSandwich()) callers.recolour();
        },
    };
}

/**
 * @param {Store} store
 * @param {HTMLElement} host
 * @param {Pane} pane
 */
function createPicture(store, host, pane) {
    const { select } = store;
    const { shown, isUpward, hiddenRows } = pane;
    const canvas = el('canvas', { 'aria-hidden': 'true' });
    const tall = el('div', {}, canvas);
    const flame = el('div', { class: 'flame' }, tall);
    const hover = el('div', { class: 'hover', hidden: true });
    const nothing = el('p', { class: 'nothing', hidden: true });
    host.append(flame, hover, nothing);
    const tooltip = createTooltip(host);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    let palette = readPalette();
    let layout = /** @type {import('../model/layout.js').Layout | null} */ (null);
    let bright = /** @type {Uint8Array | null} */ (null);
    let lastTap = { node: -1, at: 0 };

    /** @param {number} row */
    const yOf = (row) => EDGE_PX + (isUpward() && layout ? rowCount(layout) - 1 - row : row - hiddenRows()) * ROW_PX;

    /** @param {number} y */
    function rowAt(y) {
        const line = Math.floor((y - EDGE_PX) / ROW_PX);
        return isUpward() && layout ? rowCount(layout) - 1 - line : line + hiddenRows();
    }

    /** What the picture can show: all, or what the function in the middle of a sandwich holds. */
    function whole() {
        const { total } = shown.sums();
        return select.isSandwich() ? (total[ROOT + 1] ?? 0) : total[ROOT];
    }

    function whyNothing() {
        if (select.isSandwich()) return 'This function holds nothing in this view.';
        if (store.state.threads) return 'The chosen threads hold nothing in this view.';
        return select.part() ? 'Nothing in this part of the run.' : 'Nothing was recorded for this view.';
    }

    /**
     * Lays out anew and draws. Nothing happens while the graph is hidden.
     * @param {Set<string>} [changed]
     */
    function update(changed = new Set()) {
        const isEmpty = whole() <= 0;
        const most = select.isSandwich() ? MOST_ROWS / 2 : MOST_ROWS;
        nothing.hidden = !isEmpty || shown === select.callers;
        flame.hidden = isEmpty;
        nothing.textContent = whyNothing();
        hideTip();
        if (!flame.clientWidth) return;
        const rows = () => rowCount((layout = shown.layoutFor(flame.clientWidth))) - hiddenRows();
        const place = () => {
            tall.style.height = `${rows() * ROW_PX + 2 * EDGE_PX}px`;
            flame.style.height = `${Math.min(rows(), most) * ROW_PX + 2 * EDGE_PX}px`;
        };
        place();
        if (layout?.width[0] !== flame.clientWidth) place(); // a scrollbar came or went
        flame.hidden = rows() <= 0;
        // What is nearest to the root is what was asked for.
        if (isUpward() ? changed.has('zoom') || changed.has('upward') || changed.has('focus') : changed.has('upward'))
            flame.scrollTop = isUpward() ? tall.offsetHeight : 0;
        const matches = shown.matches();
        bright = matches && layout ? brightBoxes(matches, shown.graph(), layout) : null;
        describe();
        draw();
    }

    /** The picture's account, for the tests and for whoever wonders. */
    function describe() {
        const drawn = account(/** @type {NonNullable<typeof layout>} */ (layout), shown.sums());
        Object.assign(host.dataset, {
            frames: drawn.frames,
            frameSum: drawn.frameSum,
            smaller: drawn.smaller,
            smallerSum: drawn.smallerSum,
        });
    }

    function draw() {
        if (!layout) return;
        const width = flame.clientWidth;
        const height = flame.clientHeight;
        const top = flame.scrollTop;
        const scale = Math.max(1, window.devicePixelRatio || 1);
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
        canvas.style.height = `${height}px`;
        g.setTransform(scale, 0, 0, scale, 0, -top * scale);
        const painter = createPainter(g, palette);
        const first = rowAt(top);
        const last = rowAt(top + height);
        const from = Math.max(hiddenRows(), Math.min(first, last));
        const to = Math.min(rowCount(layout) - 1, Math.max(first, last));
        for (let row = from; row <= to; row++) {
            for (let box = layout.rowStart[row]; box < layout.rowStart[row + 1]; box++)
                paint(painter, box, yOf(row), width);
        }
    }

    /** @param {import('./painter.js').Painter} painter @param {number} box @param {number} y @param {number} edge */
    function paint(painter, box, y, edge) {
        const { node, smaller, left, width, value } = /** @type {NonNullable<typeof layout>} */ (layout);
        const n = node[box];
        const sums = shown.sums();
        const format = formatOf(select.metric().unit);
        const narrow = width[box] < 4 * painter.charWidth;
        // A sliver keeps a pixel of ink, inside its parent.
        const x = Math.min(left[box], edge - 1);
        const look = {
            x,
            y,
            width: Math.max(width[box], 2),
            owner: OWNER_RUNNER,
            self: sums.self[n],
            total: sums.total[n],
            name: '',
            suffix: '',
            value: '',
            share: '',
            change: changeOf(shown, n, store.state.shares),
            dim: bright !== null && !bright[box],
            match: bright !== null && bright[box] === 1,
        };
        if (smaller[box]) {
            look.name = smallerName(smaller[box]);
            painter.smaller(look);
            return;
        }
        look.owner = shown.owner(n);
        const label = narrow ? null : shown.label(n);
        if (label) {
            look.name = label.extra?.what === 'runner' ? `\u25b8 ${label.name}` : label.name;
            look.suffix = label.extra || label.owner === OWNER_SMALLER ? '' : suffixOf(label);
            look.value = format.short(value[box]);
            look.share = percent(value[box], sums.total[ROOT]);
        }
        if (look.owner < OWNERS.length) painter.frame(look);
        else painter.plain(look, !label?.extra || label.extra.what === 'runner');
        if (n === pane.selected()) painter.ring(x, y, look.width);
    }

    /**
     * Zooms and scrolls so that a frame can be seen.
     * @param {number} node
     */
    function reveal(node) {
        const { end } = shown.graph();
        const zoom = pane.zoom();
        const inside = node >= zoom && node < end[zoom];
        const visible = inside && layout && boxOf(layout, node) >= 0;
        const top = visible ? zoom : zoomToShow(shown.graph(), shown.sums(), node, flame.clientWidth, REVEAL_PX);
        store.set({ selected: node, zoom: top });
        const box = layout ? boxOf(layout, node) : -1;
        if (layout && box >= 0) {
            const y = yOf(rowOf(layout, box));
            if (y < flame.scrollTop || y + ROW_PX > flame.scrollTop + flame.clientHeight)
                flame.scrollTop = y - flame.clientHeight / 2;
        }
    }

    /** @param {MouseEvent} event @returns {number} box or -1 */
    function boxUnder(event) {
        const { left, top } = tall.getBoundingClientRect();
        return layout ? boxAt(layout, event.clientX - left, rowAt(event.clientY - top)) : -1;
    }

    /** @param {PointerEvent} event */
    function point(event) {
        const box = boxUnder(event);
        if (box < 0 || !layout) {
            hideTip();
            return;
        }
        const frame = flame.getBoundingClientRect();
        const around = host.getBoundingClientRect();
        const row = rowOf(layout, box);
        const y = frame.top - around.top + yOf(row) - flame.scrollTop;
        hover.hidden = y < 0 || y + ROW_PX > around.height;
        hover.style.left = `${frame.left - around.left + layout.left[box]}px`;
        hover.style.top = `${y}px`;
        hover.style.width = `${Math.max(2, layout.width[box] - 1)}px`;
        hover.style.height = `${ROW_PX - 1}px`;
        tooltip.show(tipText(box), select.metric(), formatOf(select.metric().unit), shown.sums().total[ROOT], {
            x: event.clientX - around.left,
            y: event.clientY - around.top,
        });
    }

    function hideTip() {
        tooltip.hide();
        hover.hidden = true;
    }

    /** @param {number} box @returns {import('./tooltip.js').TipText} */
    function tipText(box) {
        const { node, smaller, value } = /** @type {NonNullable<typeof layout>} */ (layout);
        const sums = shown.sums();
        const n = node[box];
        if (smaller[box]) {
            return {
                name: smallerName(smaller[box]),
                place: 'too narrow to draw, but counted; click to zoom in',
                owner: OWNER_SMALLER,
                ownerName: '',
                total: value[box],
                before: null,
                self: null,
                count: select.order() === 'time' ? null : smallerCount(box),
            };
        }
        const label = shown.label(n);
        const opens = label.extra?.what === 'runner';
        return {
            name: label.name,
            place: opens ? 'click to open them' : shortPath(placeOf(label), PATH_CHARS) + whenOf(n),
            owner: label.owner,
            ownerName: ownerName(label),
            total: value[box],
            before: shown.baseSums()?.total[n] ?? null,
            self: store.state.order === 'callers' || shown === select.callers ? null : sums.self[n],
            count: select.order() === 'time' ? null : sums.totalCount[n],
        };
    }

    /** In the order of time, when a call ran. @param {number} n */
    function whenOf(n) {
        const graph = shown.graph();
        if (!('start' in graph)) return '';
        const { start, stop } = /** @type {import('../model/timeorder.js').TimeGraph} */ (graph);
        return `  ${spanOfNs(start[n], stop[n])}`;
    }

    /**
     * How much a box of smaller frames counts: what its parent counts, less what is shown of it.
     * @param {number} box
     */
    function smallerCount(box) {
        const { node, smaller } = /** @type {NonNullable<typeof layout>} */ (layout);
        const sums = shown.sums();
        const { parent } = shown.graph();
        const n = node[box];
        let rest = sums.totalCount[n] - sums.selfCount[n];
        node.forEach((other, i) => {
            rest -= !smaller[i] && other !== ROOT && parent[other] === n ? sums.totalCount[other] : 0;
        });
        return rest;
    }

    /** Zooms to a frame, puts it in the middle, opens the runner, or gives smaller frames room. @param {number} box */
    function enter(box) {
        const { node, smaller } = /** @type {NonNullable<typeof layout>} */ (layout);
        const n = node[box];
        const focus = frameOf(store.profile, shown.graph(), n);
        if (smaller[box]) pane.zoomTo(layout?.top === n ? largestFolded(n) : n);
        else if (shown.label(n).extra?.what === 'runner') store.set({ runner: false });
        else if (!select.isSandwich()) store.set({ zoom: n, selected: n });
        else if (focus === null || focus === store.state.focus) pane.zoomTo(ROOT);
        else store.set({ focus });
    }

    /** The heaviest child that has no box; the frame itself when there is none with a name. @param {number} n */
    function largestFolded(n) {
        const { end, smaller } = shown.graph();
        const { total } = shown.sums();
        const boxed = new Set(layout?.node.filter((_, box) => !layout?.smaller[box]));
        let best = n;
        for (let child = n + 1; child < end[n]; child = end[child]) {
            if (!boxed.has(child) && !smaller[child] && total[child] > 0 && (best === n || total[child] > total[best]))
                best = child;
        }
        return best;
    }

    /** Two fingers apart: zooms to what is between them. @param {number} x @param {number} y */
    function spread(x, y) {
        const { left, top } = tall.getBoundingClientRect();
        const box = layout ? boxAt(layout, x - left, rowAt(y - top)) : -1;
        if (box < 0 || !layout) return;
        if (layout.smaller[box]) enter(box);
        else if (layout.node[box] !== layout.top) pane.zoomTo(layout.node[box]);
    }

    /** Two fingers together: zooms out. */
    function squeeze() {
        pane.zoomTo(shown.graph().parent[pane.zoom()]);
    }

    /** @param {MouseEvent} event */
    function click(event) {
        const box = boxUnder(event);
        if (box < 0 || !layout) return;
        const touch = /** @type {PointerEvent} */ (event).pointerType === 'touch';
        const n = layout.node[box];
        const again = lastTap.node === n && event.timeStamp - lastTap.at < DOUBLE_TAP_MS;
        lastTap = { node: n, at: event.timeStamp };
        if (!touch || again || layout.smaller[box] || select.isSandwich()) enter(box);
        else store.set({ selected: n });
    }

    followPinch(canvas, { spread, squeeze });
    canvas.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && point(event));
    canvas.addEventListener('pointerleave', hideTip);
    canvas.addEventListener('click', click);
    flame.addEventListener('scroll', () => {
        hideTip();
        draw();
    });
    return {
        update,
        reveal,
        /** For a picture that is not this canvas. @returns {import('./svg.js').Part} */
        part: () => ({
            shown,
            layout: shown.layoutFor(flame.clientWidth || HIDDEN_PX),
            isUpward: isUpward(),
            hiddenRows: hiddenRows(),
        }),
        recolour() {
            palette = readPalette();
            draw();
        },
    };
}
