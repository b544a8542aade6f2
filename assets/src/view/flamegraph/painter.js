// SPDX-License-Identifier: Apache-2.0
/*
 * The strokes of the flamegraph: a frame is a pale fill and a 2 px owner line at its bottom, smaller frames are a
 * hatched box, the runner has a dashed line. Coordinates are CSS pixels of the canvas.
 */
import { hatch, selfStep } from '../../dom/colour.js';
import { fitText, fitWords } from '../../lib/text.js';
import { MINE } from '../../lib/owners.js';

/** Height of a row; a pixel of it is the gap to the next one. */
export const ROW_PX = 22;
const BOX_PX = ROW_PX - 1;
const LINE_PX = 2;
const PAD_PX = 5;

/**
 * What to paint for a box.
 * @typedef {object} BoxLook
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {string} name
 * @property {string} suffix   what follows the name if there is room
 * @property {string} value    "4.61 GiB"
 * @property {string} share    "56.3 %"
 * @property {number} owner    number of an owner of code, or of a colour after those; others are plain
 * @property {number} self
 * @property {number} total
 * @property {import('../change.js').Change | null} change  in a difference
 * @property {boolean} dim     a search is on and this is not a match
 * @property {boolean} match
 */

/** @typedef {ReturnType<typeof createPainter>} Painter */

/**
 * @param {CanvasRenderingContext2D} g
 * @param {import('../../dom/colour.js').Palette} palette
 */
export function createPainter(g, palette) {
    const { of, owners, changes, moves } = palette;
    const mono = `12px ${palette.mono}`;
    const bold = `600 ${mono}`;
    const hatched = hatch(g, of['--dim'], of['--hatch']);
    g.textBaseline = 'middle';
    g.font = mono;
    const charWidth = g.measureText('0'.repeat(10)).width / 10;

    /** @param {string} fill @param {number} x @param {number} y @param {number} w @param {number} h */
    const rect = (fill, x, y, w, h) => {
        g.fillStyle = fill;
        g.fillRect(x, y, w, h);
    };

    /** @param {BoxLook} box @param {number} w @param {string} ink @param {string} font */
    function label(box, w, ink, font) {
        const { x, y, name, dim, change } = box;
        const room = w - 2 * PAD_PX;
        if (room < 2 * charWidth) return;
        g.font = font;
        g.fillStyle = ink;
        const { whole, more, right } = fitWords(box, room / charWidth);
        const text = fitText(g, whole, room, charWidth);
        const middle = y + BOX_PX / 2 - 0.5;
        g.fillText(text, x + PAD_PX, middle);
        if (text !== whole) return;
        if (more) {
            g.font = mono;
            g.fillStyle = dim ? of['--dim-text'] : change ? ink : of['--suffix'];
            g.fillText(more, x + PAD_PX + g.measureText(name).width, middle);
            g.fillStyle = ink;
        }
        if (right) {
            g.font = mono;
            g.textAlign = 'right';
            g.fillText(right, x + w - PAD_PX - 1, middle);
            g.textAlign = 'left';
        }
    }

    /** What is gone: an outline where it was. @param {number} x @param {number} y @param {number} w */
    function outline(x, y, w) {
        g.strokeStyle = moves.lessLine;
        g.lineWidth = 1;
        g.setLineDash([4, 3]);
        g.strokeRect(x + 0.5, y + 0.5, Math.max(0, w - 1), BOX_PX - 1);
        g.setLineDash([]);
    }

    /**
     * The line of a change: in grey what was there on both sides, then what came or went.
     * @param {import('../change.js').Change} change
     * @param {number} whole  what the width is
     * @param {number} x
     * @param {number} y
     * @param {number} w
     */
    function moved({ before, after }, whole, x, y, w) {
        const kept = whole > 0 ? (w * Math.min(before, after)) / whole : w;
        const part = whole > 0 ? (w * Math.abs(after - before)) / whole : 0;
        rect(of['--hatch'], x, y, w, LINE_PX);
        rect(after > before ? moves.moreLine : moves.lessLine, x + kept, y, part, LINE_PX);
    }

    /** @param {BoxLook} box */
    const inkWidth = (box) => Math.max(1, box.width - 1);

    return {
        charWidth,
        /** A frame of code. @param {BoxLook} box */
        frame(box) {
            const { x, y, owner, self, total, dim, match, change } = box;
            const w = inkWidth(box);
            const colours = owners[owner];
            const isGone = change?.after === 0;
            const fill =
                isGone ? of['--surface'] : change ? changes[change.step + 3] : colours.fill[selfStep(self, total)];
            rect(dim ? of['--dim'] : fill, x, y, w, BOX_PX);
            if (dim || !change) rect(dim ? of['--dim-line'] : colours.line, x, y + BOX_PX - LINE_PX, w, LINE_PX);
            else if (isGone) outline(x, y, w);
            else moved(change, total, x, y + BOX_PX - LINE_PX, w);
            if (match) {
                g.strokeStyle = of['--text'];
                g.lineWidth = 1.5;
                g.strokeRect(x + 0.75, y + 0.75, Math.max(0, w - 1.5), BOX_PX - 1.5);
            }
            label(box, w, dim ? of['--dim-text'] : isGone ? moves.less : of['--text'],
                owner === MINE && !dim ? bold : mono);
        },
        /** The root, a thread, the runner. @param {BoxLook} box @param {boolean} dashed */
        plain(box, dashed) {
            const { x, y, dim } = box;
            const w = inkWidth(box);
            const line = y + BOX_PX - LINE_PX;
            rect(dim ? of['--dim'] : of['--sunken'], x, y, w, BOX_PX);
            if (dashed) {
                for (let at = x; at < x + w; at += 8)
                    rect(dim ? of['--dim-line'] : of['--hatch'], at, line, Math.min(5, x + w - at), LINE_PX);
            } else {
                rect(of['--dim-line'], x, line, w, LINE_PX);
            }
            label(box, w, dim ? of['--dim-text'] : of['--muted'], mono);
        },
        /** A box of smaller frames; its name is shortened in steps before it goes. @param {BoxLook} box */
        smaller(box) {
            const { x, y, name, dim } = box;
            const w = inkWidth(box);
            const count = name.split(' ')[0];
            const text = [name, `${count} smaller`, `+${count}`].find((t) => t.length * charWidth + 2 * PAD_PX <= w);
            rect(/** @type {string} */ (hatched), x, y, w, BOX_PX);
            if (!text) return;
            rect(of['--surface'], x + 3, y + 3, text.length * charWidth + PAD_PX, BOX_PX - 6);
            g.font = mono;
            g.fillStyle = dim ? of['--dim-text'] : of['--text'];
            g.fillText(text, x + PAD_PX, y + BOX_PX / 2 - 0.5);
        },
        /** The ring of the selected frame. @param {number} x @param {number} y @param {number} width */
        ring(x, y, width) {
            const w = Math.max(1, width - 1);
            g.strokeStyle = of['--accent'];
            g.lineWidth = 2;
            g.strokeRect(x + 1, y + 1, Math.max(0, w - 2), BOX_PX - 2);
            g.strokeStyle = of['--surface'];
            g.lineWidth = 1;
            g.strokeRect(x + 2.5, y + 2.5, Math.max(0, w - 5), BOX_PX - 5);
        },
    };
}
