// SPDX-License-Identifier: Apache-2.0
/* Two fingers on an element: apart and together, in steps. One finger is left to the browser, to scroll. */
import { listen } from './elements.js';

/** Fingers are this much further apart, or nearer, for a step. */
const STEP = 1.4;

/**
 * @param {HTMLElement} element
 * @param {{spread: (x: number, y: number) => void, squeeze: () => void}} act  x and y: the middle of the fingers
 */
export function followPinch(element, { spread, squeeze }) {
    let before = 0;

    /** @param {TouchEvent} event */
    const distance = ({ touches: [a, b] }) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

    listen(element, 'touchstart',
        (event) => {
            before = event.touches.length === 2 ? distance(event) : 0;
        },
        { passive: true },
    );
    listen(element, 'touchmove',
        (event) => {
            if (event.touches.length !== 2 || !before) return;
            event.preventDefault();
            const now = distance(event);
            const [a, b] = event.touches;
            if (now > before * STEP) spread((a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
            else if (now * STEP < before) squeeze();
            else return;
            before = now;
        },
        { passive: false },
    );
}
