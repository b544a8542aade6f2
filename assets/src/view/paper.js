// SPDX-License-Identifier: Apache-2.0
/* On paper nothing can be opened: what a banner has closed is open while the page is printed. */

/** @param {Document | ShadowRoot} root */
export function openOnPaper(root) {
    const opened = /** @type {HTMLDetailsElement[]} */ ([]);
    window.addEventListener('beforeprint', () => {
        const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (
            root.querySelectorAll('.banner details:not([open])')
        );
        opened.push(...closed);
        for (const details of closed) details.open = true;
    });
    window.addEventListener('afterprint', () => {
        for (const details of opened.splice(0)) details.open = false;
    });
}
