// SPDX-License-Identifier: Apache-2.0
/* A picture: laid out again when something changed, redrawn when scrolled. */
import { readPalette } from '../../dom/colour.js';
import { el, listen } from '../../dom/elements.js';
import { counted } from '../../lib/units.js';
import { account, boxOf, rowOf, wideRows, zoomToShow } from '../../model/layout.js';
import { ROOT } from '../../model/profile.js';
import { brightBoxes } from '../../model/search.js';
import { readAcross } from '../../model/across.js';
import { draw } from './drawing.js';
import { ROW_PX } from './painter.js';
import { followPointer } from './pointer.js';
import { createSurface } from './surface.js';

/** @typedef {import('../../store/store.js').Store} Store */

/**
 * What a picture shows: the graph, or what is above the function in the middle of a sandwich.
 * @typedef {object} Pane
 * @property {import('../../store/shown.js').Shown} shown
 * @property {() => boolean} isUpward     the root is at the bottom
 * @property {() => number} hiddenRows    number of rows from the root that are not drawn
 * @property {() => number} zoom
 * @property {() => number} selected
 * @property {() => string} across  the part of its width that is shown
 * @property {(node: number, across?: string) => void} zoomTo
 */

/** A graph of more rows than this scrolls by itself; so does each half of a sandwich. */
const MOST_ROWS = 36;
/** Rows whose boxes are all narrower than this share of the picture are shown on demand, if there are several. */
const NARROW_SHARE = 0.01;
const FEW_ROWS = 4;
/** The part of the window that a graph takes at first. */
const WINDOW_SHARE = 0.6;
/** The width of a picture saved while the graph is hidden. */
const HIDDEN_PX = 1200;
/** A frame brought into view becomes at least this wide. */
const REVEAL_PX = 48;

/** @param {Store} store */
function whyNothing({ select, state }) {
    const who = select.isSandwich() ? 'This function holds' : state.threads && 'The selected threads hold';
    if (who) return `${who} nothing in this view.`;
    if (select.part()?.isBlank) return 'This view has no data in this part of the run.';
    return `Nothing ${select.part() ? 'in this part of the run' : 'was recorded for this view'}.`;
}

/**
 * @param {Store} store
 * @param {HTMLElement} host
 * @param {Pane} pane
 * @param {ReturnType<typeof import('./menu.js').createMenu>} menu
 */
export function createPicture(store, host, pane, menu) {
    const { select } = store;
    const { shown, isUpward, hiddenRows } = pane;
    const surface = createSurface(host, pane);
    const { flame } = surface;
    const pointer = followPointer(store, surface, pane, menu);
    const nothing = el('p', { class: 'nothing', hidden: true });
    host.append(nothing);
    let palette = readPalette();
    let bright = /** @type {Uint8Array | null} */ (null);
    const redraw = () => draw(store, surface, pane, palette, bright);

    /** What the picture can show: all, or what the function in the middle of a sandwich holds. */
    function whole() {
        const { total } = shown.held();
        return select.isSandwich() ? (total[ROOT + 1] ?? 0) : total[ROOT];
    }

    // Where the shown part of the width is.
    const bar = el('div', { class: 'across' });
    flame['after'](bar);
    const more = el('button', { class: 'link narrower', hidden: true, onclick: unfold });
    bar['after'](more);
    let isUnfolded = false;
    /** Rows of the whole graph, so that zooming moves nothing below it. */
    let keptRows = 0;
    /** Rows that there is room for next to the panel of the selected frame. */
    let spareRows = 0;

    function unfold() {
        isUnfolded = !isUnfolded;
        keptRows = 0;
        update();
    }

    /** How many rows to show. @param {number} rows  there are */
    function rowsToShow(rows) {
        if (select.isSandwich()) return MOST_ROWS / 2;
        if (isUnfolded) return MOST_ROWS;
        const wide = surface.layout ? wideRows(surface.layout, flame.clientWidth * NARROW_SHARE) : rows;
        const room = Math.floor((window.innerHeight * WINDOW_SHARE) / ROW_PX);
        const most = Math.min(MOST_ROWS, Math.max(FEW_ROWS, Math.min(wide, room)) + spareRows);
        return rows - most < FEW_ROWS ? Math.min(rows, MOST_ROWS) : most;
    }

    /** @param {number} width */
    function layoutFor(width) {
        const { scale, left } = readAcross(pane.across());
        return shown.layoutFor(width, scale, left);
    }

    function layOut() {
        surface.layout = layoutFor(flame.clientWidth);
        const rows = surface.rows() - hiddenRows();
        const isZoomed = (pane.zoom() !== ROOT || pane.across()) && keptRows > 0 && !select.isSandwich();
        const most = isZoomed ? keptRows : rowsToShow(rows);
        if (!isZoomed) keptRows = most;
        const hidden = rows - most;
        // While zoomed its place is kept: nothing below moves.
        if (!isZoomed) more.hidden = select.isSandwich() || (hidden <= 0 && !isUnfolded);
        more.style.visibility = isZoomed ? 'hidden' : '';
        more.textContent = isUnfolded ? '\u25b4 Fewer rows' : `\u25be ${counted(hidden, 'more rows')}`;
        flame.classList.toggle('cut', hidden > 0 && !isUpward());
        return surface.fit(most, isZoomed ? keptRows : 0);
    }

    /** The picture's totals, for tests and the curious. */
    function describe() {
        const { layout } = surface;
        if (layout) Object.assign(host.dataset, account(layout, shown.held()));
    }

    /**
     * Lays out again and draws. Nothing happens while the graph is hidden.
     * @param {Set<keyof import('../../model/state.js').State>} [changed]
     */
    function update(changed = new Set()) {
        const isEmpty = whole() <= 0;
        nothing.hidden = !isEmpty || shown === select.callers;
        nothing.textContent = whyNothing(store);
        flame.hidden = isEmpty;
        pointer.hide();
        if (!flame.clientWidth) return;
        let rows = layOut();
        if (surface.layout?.width[0] !== flame.clientWidth) rows = layOut(); // a scrollbar came or went
        if (rows <= 0) more.hidden = true;
        flame.hidden = rows <= 0;
        const turns = changed.has(/* @__KEY__ */ 'upward');
        const moves = changed.has(/* @__KEY__ */ 'zoom') || changed.has(/* @__KEY__ */ 'focus');
        if (turns || (isUpward() && moves)) surface.scrollToRoot();
        const matches = shown.matches();
        bright = matches && surface.layout ? brightBoxes(matches, shown.graph(), surface.layout) : null;
        const { scale, left } = readAcross(pane.across());
        bar.style.marginLeft = `${100 * left}%`;
        bar.style.width = `${100 / scale}%`;
        host.classList.toggle('part', pane.across() !== '');
        describe();
        redraw();
    }

    /** Zooms and scrolls so that a frame is visible. @param {number} node */
    function reveal(node) {
        const { end } = shown.graph();
        const zoom = pane.zoom();
        const inside = node >= zoom && node < end[zoom];
        const visible = inside && surface.layout && boxOf(surface.layout, node) >= 0;
        const top = visible ? zoom : zoomToShow(shown.graph(), shown.held(), node, flame.clientWidth, REVEAL_PX);
        store.set(visible ? { selected: node } : { selected: node, zoom: top });
        const { layout } = surface;
        const box = layout ? boxOf(layout, node) : -1;
        if (layout && box >= 0) surface.scrollTo(rowOf(layout, box));
    }

    const ring = el('div', { class: 'flash', hidden: true, onanimationend: () => (ring.hidden = true) });
    host.append(ring);

    /** Where the selected frame is, for eyes that were elsewhere. */
    function flash() {
        const { layout } = surface;
        const box = layout ? boxOf(layout, pane.selected()) : -1;
        if (!layout || box < 0) return;
        const frame = flame.getBoundingClientRect();
        const around = host.getBoundingClientRect();
        ring.style.left = `${frame.left - around.left + layout.left[box]}px`;
        ring.style.top = `${frame.top - around.top + surface.yOf(rowOf(layout, box)) - flame.scrollTop}px`;
        ring.style.width = `${Math.max(2, layout.width[box])}px`;
        ring.hidden = true;
        requestAnimationFrame(() => (ring.hidden = false));
    }

    listen(flame, 'scroll', () => {
        pointer.hide();
        redraw();
    });
    return {
        update,
        reveal,
        flash,
        /** Those that are shown while nothing is zoomed. */
        rows: () => keptRows,
        /**
         * For a picture that is not this canvas.
         * @param {number} width  0: as wide as this one
         * @returns {import('../svg.js').Part}
         */
        part: (width) => ({
            shown,
            // On paper all of it.
            layout: width ? shown.layoutFor(width, 1, 0) : layoutFor(flame.clientWidth || HIDDEN_PX),
            isUpward: isUpward(),
            hiddenRows: hiddenRows(),
        }),
        /** There is some more room. @param {number} height */
        grow(height) {
            const rows = Math.max(0, Math.floor(height / ROW_PX));
            if (rows === spareRows) return;
            spareRows = rows;
            update();
        },
        recolour() {
            palette = readPalette();
            redraw();
        },
    };
}
