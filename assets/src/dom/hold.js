// SPDX-License-Identifier: Apache-2.0
/* A pointer that is held down on an element. */

/** A shorter move of the pointer is a click. */
export const CLICK_PX = 4;

/**
 * Follows it, also outside of the element, until it is let go, or cancelled because the browser scrolls with it.
 * @param {HTMLElement} element
 * @param {PointerEvent} down
 * @param {(event: PointerEvent) => void} move
 * @param {(event: PointerEvent) => void} end  "pointerup" or "pointercancel"
 */
export function holdPointer(element, down, move, end) {
    const held = new AbortController();
    const until = { signal: held.signal };
    const letGo = (/** @type {PointerEvent} */ event) => {
        held.abort();
        end(event);
    };
    element.setPointerCapture(down.pointerId);
    element.addEventListener('pointermove', move, until);
    element.addEventListener('pointerup', letGo, until);
    element.addEventListener('pointercancel', letGo, until);
}
