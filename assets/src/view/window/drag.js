// SPDX-License-Identifier: Apache-2.0
/* Dragging a window, or one of its edges. */
import { CLICK_PX, holdPointer } from '../../dom/hold.js';
import { isSameWindow, windowOfTime } from '../../model/time.js';

/** @typedef {import('./run.js').Window} Window */
/** @typedef {ReturnType<typeof createDrag>} Drag */

/** A view that took longer than this to follow is not updated while the pointer moves. */
const LIVE_MS = 50;

/** The bin under a pointer. */
export const binBelow = (
    /** @type {import('./run.js').Run['bins']} */ bins,
    /** @type {import('../timeline.js').Timeline} */ timeline,
    /** @type {PointerEvent} */ event,
) => {
    const ms = timeline.msAt(event);
    return windowOfTime(bins, ms, ms)?.first ?? 0;
};

/**
 * @param {import('./run.js').Run} run
 * @param {import('../timeline.js').Timeline} timeline
 * @param {{get: () => Window | null, set: (chosen: Window | null) => void}} chosen
 * @param {{place: (chosen: Window | null) => void, begins: () => void, ends: (changed: boolean) => void}} told
 */
export function createDrag({ bins }, timeline, { get, set }, { place, begins, ends }) {
    /**
     * @param {PointerEvent} down
     * @param {HTMLElement} target  keeps the pointer
     * @param {number} anchor       the bin at the other end
     */
    return (down, target, anchor) => {
        const before = get();
        let frame = 0;
        let slow = false;
        let moved = target !== timeline.canvas;
        let next = before;
        begins();

        const follow = () => {
            frame = 0;
            const start = performance.now();
            set(next);
            slow = performance.now() - start > LIVE_MS;
        };
        const move = (/** @type {PointerEvent} */ event) => {
            moved ||= Math.abs(event.clientX - down.clientX) >= CLICK_PX;
            if (!moved) return;
            const bin = binBelow(bins, timeline, event);
            next = { first: Math.min(anchor, bin), last: Math.max(anchor, bin) };
            if (slow) place(next);
            else frame ||= requestAnimationFrame(follow);
        };
        const end = (/** @type {PointerEvent} */ event) => {
            cancelAnimationFrame(frame);
            // A cancelled pointer was taken for scrolling: nothing was chosen.
            if (event.type === 'pointercancel') set(before);
            else if (moved) set(next);
            ends(!isSameWindow(get(), before));
        };
        holdPointer(target, down, move, end);
    };
}
