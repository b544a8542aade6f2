// SPDX-License-Identifier: Apache-2.0
/*
 * The elements of a picture: a canvas as high as the visible part, in an element as high as the whole graph.
 *
 * Coordinates: `row` counts from the root; y is in CSS pixels from the top of the whole graph, so it depends on where
 * the root is; the canvas shows y from the scroll position on.
 */
import { el } from '../../dom/elements.js';
import { boxAt, rowCount } from '../../model/layout.js';
import { ROW_PX } from './painter.js';

/** @typedef {ReturnType<typeof createSurface>} Surface */

/** A row is never painted over the edge above it. */
const EDGE_PX = 1;

/**
 * @param {HTMLElement} host
 * @param {import('./picture.js').Pane} pane
 */
export function createSurface(host, { isUpward, hiddenRows }) {
    const canvas = el('canvas', { 'aria-hidden': 'true' });
    const tall = el('div', {}, canvas);
    const flame = el('div', { class: 'flame' }, tall);
    host.append(flame);
    const surface = {
        host,
        canvas,
        flame,
        /** What is drawn; null = nothing yet. */
        layout: /** @type {import('../../model/layout.js').Layout | null} */ (null),

        rows: () => (surface.layout ? rowCount(surface.layout) : 0),

        /** @param {number} row */
        yOf: (row) => EDGE_PX + (isUpward() && surface.layout ? surface.rows() - 1 - row : row - hiddenRows()) * ROW_PX,

        /** @param {number} y */
        rowAt(y) {
            const line = Math.floor((y - EDGE_PX) / ROW_PX);
            return isUpward() && surface.layout ? surface.rows() - 1 - line : line + hiddenRows();
        },

        /** The box under a point of the browser window, or -1. @param {{clientX: number, clientY: number}} point */
        boxUnder({ clientX, clientY }) {
            const { left, top } = tall.getBoundingClientRect();
            return surface.layout ? boxAt(surface.layout, clientX - left, surface.rowAt(clientY - top)) : -1;
        },

        /**
         * As high as the rows; only this many are visible at once.
         * @param {number} most
         * @param {number} least  the picture is not lower than this many rows
         */
        fit(most, least) {
            const rows = surface.rows() - hiddenRows();
            tall.style.height = `${rows * ROW_PX + 2 * EDGE_PX}px`;
            flame.style.height = `${Math.max(least, Math.min(rows, most)) * ROW_PX + 2 * EDGE_PX}px`;
            return rows;
        },

        /** To the root: what is nearest to it was requested. */
        scrollToRoot() {
            flame.scrollTop = isUpward() ? tall.offsetHeight : 0;
        },

        /** @param {number} row */
        scrollTo(row) {
            const y = surface.yOf(row);
            if (y < flame.scrollTop || y + ROW_PX > flame.scrollTop + flame.clientHeight)
                flame.scrollTop = y - flame.clientHeight / 2;
        },
    };
    return surface;
}
