// SPDX-License-Identifier: Apache-2.0
/* The picture of the heat map: cells, the chosen part, the cursor and the axis, as much as is scrolled into view. */
import { sizeCanvas } from '../../dom/canvas.js';
import { mixed, readPalette } from '../../dom/colour.js';
import { instant } from '../../lib/units.js';

/** @typedef {import('../../model/heat.js').Span} Span */

const HEIGHT_PX = 150;
export const AXIS_PX = 20;
/** The height of a cell. @param {number} rows  of them in a column */
export const rowPx = (rows) => HEIGHT_PX / rows;
/** Columns are as wide as the run has room for, within these. */
const [LEAST_PX, MOST_PX] = [4, 64];
export const STEPS = 24;
/** A cell with something in it differs from one with nothing. */
const FAINTEST = 0.14;
const LABEL_PX = 76;
const NEARLY = 0.9;

/**
 * How cells are laid out.
 * @typedef {object} Grid
 * @property {Float64Array} cells
 * @property {number} most    the largest of them
 * @property {boolean} isSteady  whether each, but the last one, has nearly as much
 * @property {number} cellNs
 * @property {number} rows    cells of a column
 * @property {number} columns
 * @property {number} columnPx
 */

/**
 * @param {Float64Array} cells
 * @param {number} cellNs
 * @param {number} rows
 * @param {number} room  px
 * @returns {Grid}
 */
export function gridOf(cells, cellNs, rows, room) {
    const columns = Math.ceil(cells.length / rows);
    let most = 0;
    for (let i = 0; i < cells.length; i++) most = cells[i] > most ? cells[i] : most;
    const columnPx = Math.max(LEAST_PX, Math.min(MOST_PX, Math.floor(room / columns)));
    const isSteady = cells.subarray(0, -1).every((value) => value >= NEARLY * most);
    return { cells, most, isSteady, cellNs, rows, columns, columnPx };
}

/** Whether so many columns fit without scrolling. @param {number} columns @param {number} room */
export const fits = (columns, room) => columns * LEAST_PX <= room;

/** Fills from nothing to the most, in the colours of the theme. */
export function rampOf() {
    const { of } = readPalette();
    const ramp = Array.from({ length: STEPS + 1 }, (_, i) =>
        i ? mixed(of['--accent'], of['--surface'], FAINTEST + (1 - FAINTEST) * (i / STEPS)) : of['--sunken'],
    );
    return { of, ramp };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Grid} grid
 * @param {{left: number, width: number, chosen: Span | null, cursor: number, colours: ReturnType<typeof rampOf>}} view
 *     left: what is scrolled out, px; cursor: a cell, -1 = none
 */
export function paintMap(canvas, grid, { left, width, chosen, cursor, colours }) {
    const { cells, most, cellNs, rows, columns, columnPx } = grid;
    const { of, ramp } = colours;
    const height = HEIGHT_PX;
    const tall = rowPx(rows);
    canvas.style.width = `${width}px`;
    const g = sizeCanvas(canvas, width, height + AXIS_PX);
    const first = Math.floor(left / columnPx);
    const last = Math.min(columns, Math.ceil((left + width) / columnPx));
    const from = chosen ? chosen.from / cellNs : 0;
    const to = chosen ? chosen.to / cellNs : cells.length;
    const wide = columnPx > LEAST_PX ? columnPx - 1 : columnPx;
    for (let column = first; column < last; column++) {
        const x = column * columnPx - left;
        for (let row = 0; row < rows; row++) {
            const cell = column * rows + row;
            if (cell >= cells.length) break;
            g.globalAlpha = cell + 1 > from && cell < to ? 1 : 0.3;
            g.fillStyle = ramp[most > 0 ? Math.ceil((cells[cell] / most) * STEPS) : 0];
            g.fillRect(x, row * tall, wide, tall);
        }
    }
    g.globalAlpha = 1;
    const outline = (/** @type {number} */ cell, /** @type {string} */ ink) => {
        const [x, y] = [Math.floor(cell / rows) * columnPx - left, (cell % rows) * tall];
        g.strokeStyle = ink;
        g.lineWidth = 1.5;
        g.strokeRect(x - 0.75, y - 0.75, wide + 1.5, tall + 1.5);
    };
    if (chosen) {
        outline(Math.floor(from), of['--text']);
        outline(Math.min(cells.length, Math.ceil(to)) - 1, of['--text']);
    }
    if (cursor >= 0) outline(cursor, of['--danger']);
    paintAxis(g, grid, { left, width, ink: of['--muted'], line: of['--border'], font: readPalette().sans });
}

/**
 * Moments below the columns.
 * @param {CanvasRenderingContext2D} g
 * @param {Grid} grid
 * @param {{left: number, width: number, ink: string, line: string, font: string}} view
 */
function paintAxis(g, { cells, cellNs, rows, columns, columnPx }, { left, width, ink, line, font }) {
    const y = HEIGHT_PX;
    const columnMs = (cellNs * rows) / 1e6;
    const runMs = (cells.length * cellNs) / 1e6;
    const every = [1, 2, 5, 10, 20, 30, 60].find((n) => n * columnPx >= LABEL_PX) ?? 60;
    g.font = `11px ${font}`;
    g.textBaseline = 'middle';
    for (let column = Math.ceil(left / columnPx / every) * every; column < columns; column += every) {
        const x = column * columnPx - left;
        if (x > width) break;
        g.fillStyle = line;
        g.fillRect(x, y, 1, 4);
        g.fillStyle = ink;
        const text = instant(column * columnMs, runMs, columnMs);
        if (x + g.measureText(text).width <= width) g.fillText(text, x, y + AXIS_PX / 2 + 2);
    }
}
