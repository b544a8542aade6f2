// SPDX-License-Identifier: Apache-2.0
/*
 * On paper nothing can be opened: what is closed in a banner is open while the page is printed, unless its table has
 * the frames that matter.
 */
import { listen } from '../dom/elements.js';

/** What opens on paper. */
const CLOSED = ['.banner:not(:has(.trace)) details', '.notes > details', '.panel:not(.terminal, .sizes) > .more'];

/** @param {Document | ShadowRoot} root */
export function openOnPaper(root) {
    const opened = /** @type {HTMLDetailsElement[]} */ ([]);
    listen(window, 'beforeprint', () => {
        const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (
            root.querySelectorAll(`${CLOSED.join(':not([open]), ')}:not([open])`)
        );
        opened.push(...closed);
        for (const details of closed) details.open = true;
    });
    listen(window, 'afterprint', () => {
        for (const details of opened.splice(0)) details.open = false;
    });
}
