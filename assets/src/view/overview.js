// SPDX-License-Identifier: Apache-2.0
/* A strip below the lanes while they are zoomed: the main line of the whole run, and which part of it is shown. */
import { sizeCanvas } from '../dom/canvas.js';
import { el, listen } from '../dom/elements.js';
import { decimate } from '../model/series.js';
import { createInk } from './lanes/ink.js';
import { LEFT_PX, rightOf, timeScale } from './lanes/scale.js';

const HEIGHT_PX = 28;

/** @typedef {import('../model/zoom.js').Span} Span */

/**
 * @param {Span} whole
 * @param {import('../model/profile.js').Series | null} series
 * @param {(from: number, to: number) => void} show
 */
export function createOverview(whole, series, show) {
    const canvas = el('canvas', { class: 'overview', 'aria-hidden': 'true', hidden: true });
    let view = whole;

    /** The view moves so that its middle is under the pointer. @param {PointerEvent} event */
    function move(event) {
        const { left, width } = canvas.getBoundingClientRect();
        const ms = timeScale(whole, width).toMs(event.clientX - left);
        const half = (view.to - view.from) / 2;
        show(ms - half, ms + half);
    }
    listen(canvas, 'pointerdown', (event) => {
        canvas.setPointerCapture(event.pointerId);
        move(event);
    });
    listen(canvas, 'pointermove', (event) => event.buttons === 1 && move(event));

    return {
        element: canvas,
        /**
         * @param {Span | null} shown  null = the whole: nothing to show
         * @param {import('../dom/colour.js').Palette} palette
         */
        draw(shown, palette) {
            canvas.hidden = !shown;
            const width = canvas.clientWidth;
            if (!shown || !width) return;
            view = shown;
            const g = sizeCanvas(canvas, width, HEIGHT_PX);
            const { of, fill } = createInk(g, palette);
            const { toX } = timeScale(whole, width);
            const [from, to] = [toX(shown.from), toX(shown.to)];
            fill('--sunken', LEFT_PX, 0, width - rightOf(width) - LEFT_PX, HEIGHT_PX);
            fill('--surface', from, 0, Math.max(2, to - from), HEIGHT_PX);
            if (series) {
                const top = series.max.reduce((most, v) => Math.max(most, v), 1);
                g.beginPath();
                for (const { x, value } of decimate(series, toX))
                    g.lineTo(x, HEIGHT_PX - 2 - ((HEIGHT_PX - 5) * Math.max(0, value)) / top);
                g.strokeStyle = of['--series-2'];
                g.stroke();
            }
            g.strokeStyle = of['--accent'];
            g.lineWidth = 2;
            g.strokeRect(from, 1, Math.max(2, to - from), HEIGHT_PX - 2);
        },
    };
}
