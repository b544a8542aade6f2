// SPDX-License-Identifier: Apache-2.0
/*
 * The flamegraph: a canvas as high as what can be seen, in an element as high as the whole graph.
 *
 * Coordinates: `row` counts from the root; y is in CSS pixels from the top of the whole graph, so it depends on where
 * the root is; the canvas shows y from the scroll position on.
 */
import { readPalette } from '../lib/colour.js';
import { el } from '../lib/dom.js';
import { placeOf, shortPath, suffixOf } from '../lib/text.js';
import { formatOf, percent } from '../lib/units.js';
import { smallerName } from '../model/graph.js';
import { account, boxAt, boxOf, rowCount, rowOf, zoomToShow } from '../model/layout.js';
import { OWNERS, OWNER_RUNNER, OWNER_SMALLER, ROOT } from '../model/profile.js';
import { brightBoxes } from '../model/search.js';
import { createOutline } from './outline.js';
import { ROW_PX, createPainter } from './painter.js';
import { createTooltip } from './tooltip.js';
import { ownerName } from './words.js';

/** @typedef {import('../page.js').Page} Page */

/** A graph of more rows than this scrolls by itself. */
const MOST_ROWS = 36;
/** A row is never painted over the edge above it. */
const EDGE_PX = 1;
/** A longer path loses its middle in the tooltip. */
const PATH_CHARS = 72;
/** Two taps within this time zoom. */
const DOUBLE_TAP_MS = 400;
/** A frame that is brought into view becomes at least so wide. */
const REVEAL_PX = 48;

/**
 * @param {Page} page
 * @param {HTMLElement} host
 */
export function createFlamegraph(page, host) {
    const canvas = el('canvas', { 'aria-hidden': 'true' });
    const tall = el('div', {}, canvas);
    const flame = el('div', { class: 'flame' }, tall);
    const hover = el('div', { class: 'hover', hidden: true });
    const nothing = el('p', { class: 'nothing', hidden: true });
    const outline = createOutline(page, { reveal });
    host.append(outline.element, flame, hover, nothing);
    const tooltip = createTooltip(host);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    let palette = readPalette();
    let layout = /** @type {import('../model/layout.js').Layout | null} */ (null);
    let bright = /** @type {Uint8Array | null} */ (null);
    let lastTap = { node: -1, at: 0 };

    /** @param {number} row */
    const yOf = (row) => EDGE_PX + (page.state.upward && layout ? rowCount(layout) - 1 - row : row) * ROW_PX;

    /** @param {number} y */
    function rowAt(y) {
        const line = Math.floor((y - EDGE_PX) / ROW_PX);
        return page.state.upward && layout ? rowCount(layout) - 1 - line : line;
    }

    /** Lays out anew and draws. Nothing happens while the graph is hidden. */
    function update() {
        const whole = page.sums().total[ROOT];
        nothing.hidden = whole > 0;
        flame.hidden = whole <= 0;
        nothing.textContent = page.state.threads
            ? 'The chosen threads hold nothing in this view.'
            : page.part()
              ? 'Nothing in this part of the run.'
              : 'Nothing was recorded for this view.';
        hideTip();
        if (!flame.clientWidth) return;
        const rows = () => rowCount((layout = page.layoutFor(flame.clientWidth)));
        const place = () => {
            tall.style.height = `${rows() * ROW_PX + 2 * EDGE_PX}px`;
            flame.style.height = `${Math.min(rows(), MOST_ROWS) * ROW_PX + 2 * EDGE_PX}px`;
        };
        place();
        if (layout?.width[0] !== flame.clientWidth) place(); // a scrollbar came or went
        const matches = page.matches();
        bright = matches && layout ? brightBoxes(matches, page.graph(), layout) : null;
        describe();
        draw();
    }

    /** The picture's account, for the tests and for whoever wonders. */
    function describe() {
        const drawn = account(/** @type {NonNullable<typeof layout>} */ (layout), page.sums());
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
        const from = Math.max(0, Math.min(first, last));
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
        const sums = page.sums();
        const format = formatOf(page.metric.unit);
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
            dim: bright !== null && !bright[box],
            match: bright !== null && bright[box] === 1,
        };
        if (smaller[box]) {
            look.name = smallerName(smaller[box]);
            painter.smaller(look);
            return;
        }
        look.owner = page.owner(n);
        const label = narrow ? null : page.label(n);
        if (label) {
            look.name = label.extra?.what === 'runner' ? `\u25b8 ${label.name}` : label.name;
            look.suffix = label.extra || label.owner === OWNER_SMALLER ? '' : suffixOf(label);
            look.value = format.short(value[box]);
            look.share = percent(value[box], sums.total[ROOT]);
        }
        if (look.owner < OWNERS.length) painter.frame(look);
        else painter.plain(look, !label?.extra || label.extra.what === 'runner');
        if (n === page.state.selected) painter.ring(x, y, look.width);
    }

    /**
     * Zooms and scrolls so that a frame can be seen.
     * @param {number} node
     */
    function reveal(node) {
        const { end } = page.graph();
        const { zoom } = page.state;
        const inside = node >= zoom && node < end[zoom];
        const visible = inside && layout && boxOf(layout, node) >= 0;
        const top = visible ? zoom : zoomToShow(page.graph(), page.sums(), node, flame.clientWidth, REVEAL_PX);
        page.set({ selected: node, zoom: top });
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
        tooltip.show(tipText(box), page.metric, formatOf(page.metric.unit), page.sums().total[ROOT], {
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
        const sums = page.sums();
        const n = node[box];
        if (smaller[box]) {
            return {
                name: smallerName(smaller[box]),
                place: `folded here, all counted; a click gives them room`,
                owner: OWNER_SMALLER,
                ownerName: '',
                total: value[box],
                self: null,
                count: smallerCount(box),
            };
        }
        const label = page.label(n);
        const opens = label.extra?.what === 'runner';
        return {
            name: label.name,
            place: opens ? 'a click opens them' : shortPath(placeOf(label), PATH_CHARS),
            owner: label.owner,
            ownerName: ownerName(label),
            total: value[box],
            self: sums.self[n],
            count: sums.totalCount[n],
        };
    }

    /**
     * How much a box of smaller frames counts: what its parent counts, less what is shown of it.
     * @param {number} box
     */
    function smallerCount(box) {
        const { node, smaller } = /** @type {NonNullable<typeof layout>} */ (layout);
        const sums = page.sums();
        const { parent } = page.graph();
        const n = node[box];
        let rest = sums.totalCount[n] - sums.selfCount[n];
        node.forEach((other, i) => {
            rest -= !smaller[i] && other !== ROOT && parent[other] === n ? sums.totalCount[other] : 0;
        });
        return rest;
    }

    /** Zooms to a frame, opens the runner, or gives smaller frames room. @param {number} box */
    function enter(box) {
        const { node, smaller } = /** @type {NonNullable<typeof layout>} */ (layout);
        const n = node[box];
        if (smaller[box]) page.set({ zoom: n === page.state.zoom ? largestFolded(n) : n });
        else if (page.label(n).extra?.what === 'runner') page.set({ runner: false });
        else page.set({ zoom: n, selected: n });
    }

    /** The heaviest child that has no box; the frame itself when there is none with a name. @param {number} n */
    function largestFolded(n) {
        const { end, smaller } = page.graph();
        const { total } = page.sums();
        const shown = new Set(layout?.node.filter((_, box) => !layout?.smaller[box]));
        let best = n;
        for (let child = n + 1; child < end[n]; child = end[child]) {
            if (!shown.has(child) && !smaller[child] && total[child] > 0 && (best === n || total[child] > total[best]))
                best = child;
        }
        return best;
    }

    /** @param {MouseEvent} event */
    function click(event) {
        const box = boxUnder(event);
        if (box < 0 || !layout) return;
        const touch = /** @type {PointerEvent} */ (event).pointerType === 'touch';
        const n = layout.node[box];
        const again = lastTap.node === n && event.timeStamp - lastTap.at < DOUBLE_TAP_MS;
        lastTap = { node: n, at: event.timeStamp };
        if (!touch || again || layout.smaller[box]) enter(box);
        else page.set({ selected: n });
    }

    canvas.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && point(event));
    canvas.addEventListener('pointerleave', hideTip);
    canvas.addEventListener('click', click);
    flame.addEventListener('scroll', () => {
        hideTip();
        draw();
    });
    page.onChange((changed) => {
        if (changed.has('upward') && layout) flame.scrollTop = page.state.upward ? tall.offsetHeight : 0;
        update();
        if (changed.has('zoom') && page.state.upward) flame.scrollTop = tall.offsetHeight;
    });
    return {
        update,
        reveal,
        outline,
        /** The theme changed. */
        recolour() {
            palette = readPalette();
            draw();
        },
    };
}
