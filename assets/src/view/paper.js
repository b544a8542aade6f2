// SPDX-License-Identifier: Apache-2.0
/* On paper nothing can be opened: what is closed in a banner is open while the page is printed. */
import { listen } from '../dom/elements.js';

/** @param {Document | ShadowRoot} root */
export function openOnPaper(root) {
    const opened = /** @type {HTMLDetailsElement[]} */ ([]);
    listen(window, 'beforeprint', () => {
        const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (
            root.querySelectorAll('.banner details:not([open])')
        );
        opened.push(...closed);
        for (const details of closed) details.open = true;
    });
    listen(window, 'afterprint', () => {
        for (const details of opened.splice(0)) details.open = false;
    });
}
