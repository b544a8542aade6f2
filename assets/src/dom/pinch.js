// SPDX-License-Identifier: Apache-2.0
/* Two fingers on an element, apart and together. One finger is left to the browser, to scroll. */
import { listen } from './elements.js';

/**
 * @param {HTMLElement} element
 * @param {(factor: number, x: number) => void} zoom  above 1: apart; x: the middle of the fingers
 */
export function followPinch(element, zoom) {
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
            const { touches: [a, b] } = event; // prettier-ignore
            if (!before || event.touches.length !== 2) return;
            event.preventDefault();
            const now = distance(event);
            zoom(now / before, (a.clientX + b.clientX) / 2);
            before = now;
        },
        { passive: false },
    );
}
