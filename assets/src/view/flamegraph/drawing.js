// SPDX-License-Identifier: Apache-2.0
/* Draws the visible part of a layout: the rows in view, each box with its look. */
import { sizeCanvas } from '../../dom/canvas.js';
import { suffixOf } from '../../lib/text.js';
import { OWNER_NONE, OWNER_RUNNER, OWNER_SMALLER, isCode } from '../../lib/owners.js';
import { percent } from '../../lib/units.js';
import { changeOf } from '../change.js';
import { chainName } from '../../model/chain.js';
import { smallerName } from '../../model/graph.js';
import { shows } from '../../model/layout.js';
import { ROOT } from '../../model/profile.js';
import { createPainter } from './painter.js';

/** @typedef {import('../../model/layout.js').Layout} Layout */

/** A box narrower than this many characters has no name. */
const NAMED_CHARS = 4;

/**
 * @param {import('../../store/store.js').Store} store
 * @param {import('./surface.js').Surface} surface
 * @param {import('./picture.js').Pane} pane
 * @param {import('../../dom/colour.js').Palette} palette
 * @param {Uint8Array | null} bright  boxes that match a search; null = no search
 */
export function draw(store, surface, pane, palette, bright) {
    const { layout, canvas, flame } = surface;
    if (!layout) return;
    const { clientWidth: width, clientHeight: height, scrollTop: top } = flame;
    const painter = createPainter(sizeCanvas(canvas, width, height, top), palette);
    const rows = [surface.rowAt(top), surface.rowAt(top + height)];
    const from = Math.max(pane.hiddenRows(), Math.min(...rows));
    const to = Math.min(surface.rows() - 1, Math.max(...rows));
    for (let row = from; row <= to; row++) {
        for (let box = layout.rowStart[row]; box < layout.rowStart[row + 1]; box++)
            drawBox(store, pane, painter, layout, box, { y: surface.yOf(row), edge: width }, bright);
    }
}

/**
 * @param {import('../../store/store.js').Store} store
 * @param {import('./picture.js').Pane} pane
 * @param {import('./painter.js').Painter} painter
 * @param {Layout} layout
 * @param {number} box
 * @param {{y: number, edge: number}} place  and where the picture ends on the right
 * @param {Uint8Array | null} bright
 */
function drawBox(store, pane, painter, layout, box, { y, edge }, bright) {
    const { shown } = pane;
    const node = layout.node[box];
    const sums = shown.held();
    const look = {
        x: Math.min(layout.left[box], edge - 1), // a sliver keeps a pixel of ink, inside its parent
        y,
        width: Math.max(layout.width[box], 2),
        owner: OWNER_RUNNER,
        self: sums.self[node],
        total: sums.total[node],
        name: '',
        suffix: '',
        value: '',
        share: '',
        change: layout.smaller[box] ? null : changeOf(store, shown, node),
        dim: bright !== null && !bright[box],
        match: bright !== null && bright[box] === 1,
    };
    if (layout.smaller[box]) {
        look.name = smallerName(layout.smaller[box]);
        painter.smaller(look);
        return;
    }
    look.owner = shown.colour(node);
    const label = layout.width[box] < NAMED_CHARS * painter.charWidth ? null : shown.label(node);
    if (label) {
        look.name = label.extra?.what === 'runner' ? `\u25b8 ${label.name}` : label.name;
        look.suffix = label.extra || label.owner === OWNER_SMALLER ? '' : suffixOf(label);
        Object.assign(look, chainName(shown, node, layout.last[box]));
        const { change } = look;
        look.value = change ? change.words : store.select.format().short(layout.value[box]);
        look.share = change ? change.kind : percent(layout.value[box], sums.total[ROOT]);
    }
    if (isCode(look.owner)) painter.frame(look);
    else painter.plain(look, look.owner !== OWNER_NONE && (!label?.extra || label.extra.what === 'runner'));
    if (shows(layout, box, pane.selected())) painter.ring(look.x, y, look.width);
}
