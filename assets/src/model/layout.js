// SPDX-License-Identifier: Apache-2.0
/*
 * Where the boxes of a flamegraph are.
 *
 * Coordinates: CSS pixels from the left edge of the graph, and rows from the root (row 0), whichever way up the picture
 * is. The zoomed frame, and all above it, span the whole width; below it a frame's width is its share of its
 * parent. Of a picture that is larger than its place only a part is laid out: the boxes in view, cut at its edges. The
 * heaviest child comes first. Children that would be narrower than `minWidth` share one box after their
 * siblings, so in every picture
 *
 *     (self of the frames that have a box) + (sums of the boxes of smaller frames) = total of the zoomed frame
 *
 * to the last byte, where all of it is in view. Only children of frames that have a box are looked at.
 */
import { pathTo } from './calltree.js';
import { Ints } from './ints.js';
import { ROOT } from './profile.js';

/**
 * Boxes row by row, each row from left to right.
 * @typedef {object} Layout
 * @property {number} count
 * @property {Uint32Array} rowStart  [rows + 1] first box of a row
 * @property {Uint32Array} node      [box] the frame; of a box of smaller frames: their parent
 * @property {Uint32Array} last      [box] the last frame of the chain that the box represents; mostly the frame itself
 * @property {Uint32Array} smaller   [box] 0 = a frame, else how many smaller frames the box represents
 * @property {Float64Array} left     [box]
 * @property {Float64Array} width    [box]
 * @property {Float64Array} value    [box] total of the frame, or sum of the smaller ones
 * @property {Uint32Array} away      frames below those with a box that are out of view, not folded
 * @property {number} top            the zoomed frame
 */

/** @typedef {(node: number, smaller: number, left: number, width: number, value: number) => void} Put */

/**
 * The part of a picture that is laid out.
 * @typedef {object} Cut
 * @property {number} width    of the place
 * @property {number} [scale]  the picture is so many times as wide as the place
 * @property {number} [from]   pixels of the picture that are to the left of the place
 */

/** A box this little outside of its place is there: sums of widths are not exact. */
const NEAR_PX = 0.001;

/**
 * The rows of a picture: the path to the zoomed frame, each as wide as the whole, and below it, row by row,
 * the boxes that `putChildren` puts below each box of a frame.
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {Cut & {top: number, whole?: number, chain?: (node: number) => number}} view  whole: what the width of the
 *     picture is; without it, the zoomed frame; chain: of model/chain.js
 * @param {((put: Put, node: number, left: number) => void) | null} putChildren  null: nothing below
 * @returns {Layout}
 */
export function layOutRows(graph, { total }, view, putChildren) {
    const { top, width, scale = 1, from = 0, whole = 0, chain = (node) => node } = view;
    const node = new Ints();
    const last = new Ints();
    const small = new Ints();
    const away = new Ints();
    const rowStart = new Ints(64);
    /** Where boxes begin, also those that begin left of the place. */
    const at = /** @type {number[]} */ ([]);
    const left = /** @type {number[]} */ ([]);
    const wide = /** @type {number[]} */ ([]);
    const value = /** @type {number[]} */ ([]);

    /** @param {number} n @param {number} many @param {number} x @param {number} w @param {number} v */
    const put = (n, many, x, w, v) => {
        if (rowStart.count > pathRows && (x > width + NEAR_PX || x + w < -NEAR_PX)) {
            if (!many) away.push(n);
            return;
        }
        node.push(n);
        last.push(many ? n : chain(n));
        small.push(many);
        at.push(x);
        left.push(Math.max(0, x));
        wide.push(w + Math.min(0, x) - Math.max(0, x + w - width));
        value.push(v);
    };
    let pathRows = Infinity;
    for (const n of [ROOT].concat(pathTo(graph, top))) {
        if (node.count && n !== top && last.items[node.count - 1] >= n) continue; // in the chain right above
        rowStart.push(node.count);
        put(n, 0, -from, whole > 0 ? (width * scale * total[top]) / whole : width * scale, total[n]);
        // A chain ends above the zoomed frame, which begins one of its own.
        if (n !== top && last.items[node.count - 1] >= top) last.items[node.count - 1] = graph.parent[top];
    }
    pathRows = rowStart.count;
    for (let row = node.count - 1, to = node.count; row < to && putChildren; row = to, to = node.count) {
        rowStart.push(to);
        for (let box = row; box < to; box++) {
            if (!small.items[box]) putChildren(put, last.items[box], at[box]);
        }
    }
    if (rowStart.items[rowStart.count - 1] !== node.count) rowStart.push(node.count);
    return {
        count: node.count,
        rowStart: rowStart.view.slice(),
        node: node.view.slice(),
        last: last.view.slice(),
        smaller: small.view.slice(),
        away: away.view.slice(),
        left: Float64Array.from(left),
        width: Float64Array.from(wide),
        value: Float64Array.from(value),
        top,
    };
}

/**
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {Uint32Array} framesBefore  of countFrames
 * @param {Cut & {top: number, minWidth: number, whole?: number, chain?: (node: number) => number}} view
 * @param {Float64Array} [weight]  [node] what sorts siblings
 * @returns {Layout}
 */
export function layOut(graph, sums, framesBefore, view, weight = sums.total) {
    const { end, smaller } = graph;
    const { total } = sums;
    const { top, width, minWidth, scale = 1, whole = total[top] } = view;
    const perUnit = total[top] > 0 ? (width * scale) / whole : 0;
    const inOrder = ranking(sums, weight);

    /** @param {Put} put  @param {number} n  @param {number} x */
    const putChildren = (put, n, x) => {
        const shown = /** @type {number[]} */ ([]);
        let many = 0;
        let sum = 0;
        for (let child = n + 1; child < end[n]; child = end[child]) {
            if (total[child] * perUnit >= minWidth && !smaller[child]) {
                shown.push(child);
            } else if (total[child] > 0) {
                many += framesBefore[end[child]] - framesBefore[child];
                sum += total[child];
            }
        }
        shown.sort(inOrder);
        for (const child of shown) {
            put(child, 0, x, total[child] * perUnit, total[child]);
            x += total[child] * perUnit;
        }
        if (many) put(n, many, x, sum * perUnit, sum);
    };

    return layOutRows(graph, sums, view, perUnit > 0 ? putChildren : null);
}

/** The order of siblings. @param {import('./calltree.js').Sums} sums @param {Float64Array} weight */
export const ranking = ({ total }, weight) => (/** @type {number} */ a, /** @type {number} */ b) =>
    weight[b] - weight[a] || total[b] - total[a] || a - b;

/** The frames that are not in a box of smaller ones. @param {Layout} layout */
export const seenOrAway = ({ node, smaller, away }) => [...node.filter((_, box) => !smaller[box]), ...away];

/** @param {Layout} layout */
export const rowCount = ({ rowStart }) => rowStart.length - 1;

/**
 * The number of rows down to the last one that has a box of at least this width.
 * @param {Layout} layout
 * @param {number} wide  in pixels
 */
export function wideRows(layout, wide) {
    const { rowStart, width } = layout;
    let box = rowStart[rowStart.length - 1] - 1;
    while (box >= 0 && width[box] < wide) box--;
    return rowOf(layout, box) + 1;
}

/**
 * The box at a place, or -1. A box extends to its right neighbour.
 * @param {Layout} layout
 * @param {number} x
 * @param {number} row
 */
export function boxAt({ rowStart, left, width }, x, row) {
    if (row < 0 || row >= rowStart.length - 1) return -1;
    let low = rowStart[row];
    let high = rowStart[row + 1];
    while (high - low > 1) {
        const middle = (low + high) >>> 1;
        if (left[middle] <= x) low = middle;
        else high = middle;
    }
    return low < high && x >= left[low] && x < left[low] + width[low] ? low : -1;
}

/**
 * Whether a box shows a frame, alone or in its chain.
 * @param {Layout} layout
 * @param {number} box
 * @param {number} wanted
 */
export const shows = ({ node, last, smaller }, box, wanted) =>
    node[box] <= wanted && wanted <= last[box] && !smaller[box];

/**
 * The box of a frame, or -1 when it is folded or out of view.
 * @param {Layout} layout
 * @param {number} wanted
 */
export function boxOf(layout, wanted) {
    for (let box = 0; box < layout.count; box++) {
        if (shows(layout, box, wanted)) return box;
    }
    return -1;
}

/**
 * The row that a box is in.
 * @param {Layout} layout
 * @param {number} box
 */
export function rowOf({ rowStart }, box) {
    let row = 0;
    while (rowStart[row + 1] <= box) row++;
    return row;
}

/**
 * The totals of a picture: what is drawn as frames, and what as boxes of smaller ones. The two sums are the total of
 * the zoomed frame.
 * @param {Layout} layout
 * @param {import('./calltree.js').Sums} sums
 */
export function account({ count, node, last, smaller, value, top }, { self, total }) {
    const drawn = { 'frames': 0, 'frameSum': 0, 'smaller': 0, 'smallerSum': 0 };
    for (let box = 0, below = false; box < count; box++) {
        below = below || (node[box] <= top && top <= last[box]);
        if (smaller[box]) {
            drawn['smaller'] += smaller[box];
            drawn['smallerSum'] += value[box];
        } else if (below) {
            for (let n = node[box]; n <= last[box]; n++) {
                drawn['frames'] += n === ROOT || total[n] > 0 ? 1 : 0;
                drawn['frameSum'] += self[n];
            }
        }
    }
    return drawn;
}

/**
 * The frame to zoom to so that NODE becomes at least `wide` pixels wide: the nearest to the root that will do.
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {number} node
 * @param {number} width  of the graph
 * @param {number} wide
 */
export function zoomToShow({ parent }, { total }, node, width, wide) {
    let top = node;
    while (top !== ROOT && width * total[node] >= wide * total[parent[top]]) top = parent[top];
    return top;
}
