// SPDX-License-Identifier: Apache-2.0
/*
 * The part of its width that a picture shows: Ctrl and the wheel zoom about the pointer, little by little, as two
 * fingers do; those on a trackpad are reported as the wheel. What is larger than its place is dragged sideways.
 */
import { acrossText, readAcross, zoomedAcross } from '../../model/across.js';
import { listen } from '../../dom/elements.js';
import { CLICK_PX, holdPointer } from '../../dom/hold.js';
import { followPinch } from '../../dom/pinch.js';
import { ranking } from '../../model/layout.js';
import { ROOT } from '../../model/profile.js';

/** By pixel of the wheel. */
const WHEEL_STEP = 0.002;

/**
 * @param {import('./surface.js').Surface} surface
 * @param {import('./picture.js').Pane} pane
 * @returns {() => boolean} whether the pointer that was down last dragged the picture
 */
export function followAcross({ canvas }, pane) {
    /** Where a pointer took hold of the picture; null = none did, or it was zoomed since. */
    let held = /** @type {{x: number, scale: number, left: number} | null} */ (null);
    let isPanned = false;

    /** @param {number} factor  above 1 inwards @param {number} x  of the browser window */
    function zoom(factor, x) {
        held = null;
        // Out of a frame that is zoomed to, it goes on in the whole, where the frame is.
        const leaves = factor < 1 && !pane.across();
        const across = leaves ? placeOfFrame(pane.shown, pane.zoom()) : pane.across();
        const { left, width } = canvas.getBoundingClientRect();
        pane.zoomTo(leaves ? ROOT : pane.zoom(), zoomedAcross(across, (x - left) / width, factor));
    }

    /** @param {PointerEvent} event */
    function pan({ clientX }) {
        if (!held) return;
        const { x, scale, left } = held;
        isPanned ||= Math.abs(clientX - x) >= CLICK_PX;
        if (isPanned) pane.zoomTo(pane.zoom(), acrossText(scale, left + (x - clientX) / canvas.clientWidth / scale));
    }

    listen(canvas, 'wheel',
        (event) => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            zoom(Math.exp(-event.deltaY * WHEEL_STEP), event.clientX);
        },
        { passive: false },
    );
    followPinch(canvas, zoom);
    listen(canvas, 'pointerdown', (down) => {
        isPanned = false;
        if (down.button || !down.isPrimary || !pane.across()) return;
        held = { x: down.clientX, ...readAcross(pane.across()) };
        holdPointer(canvas, down, pan, () => {});
    });
    return () => isPanned;
}

/**
 * The part of the whole that a frame takes.
 * @param {import('../../store/shown.js').Shown} shown
 * @param {number} node
 */
function placeOfFrame(shown, node) {
    const graph = shown.graph();
    const { parent, end, smaller } = graph;
    const { total } = shown.held();
    if ('start' in graph) {
        const { start, stop } = /** @type {import('../../model/timeorder.js').TimeGraph} */ (graph);
        const whole = stop[ROOT] - start[ROOT];
        return acrossText(whole / (stop[node] - start[node]), (start[node] - start[ROOT]) / whole);
    }
    const inOrder = ranking(shown.held(), shown.weights());
    let left = 0;
    for (let n = node; n !== ROOT; n = parent[n])
        for (let other = parent[n] + 1; other < end[parent[n]]; other = end[other])
            if (!smaller[other] && inOrder(other, n) < 0) left += total[other];
    return acrossText(total[ROOT] / total[node], left / total[ROOT]);
}
