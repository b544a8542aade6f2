// SPDX-License-Identifier: Apache-2.0
/* Menus that open below a button. */
import { el, listen } from '../dom/elements.js';

/**
 * @param {string | null} label      of the button, where its words do not do
 * @param {(Node | string)[]} words  on the button
 * @param {string} title             of what opens
 * @param {Node[]} content
 */
export const popMenu = (label, words, title, content) =>
    el(
        'details',
        { class: 'menu' },
        el('summary', { class: 'btn', 'aria-label': label }, ...words),
        el('div', { class: 'pop', role: 'group', 'aria-label': title }, ...content),
    );

/**
 * A menu is in view when it opens, and closes when the next click is elsewhere, or on Escape.
 * @param {HTMLElement} host
 */
export function closeMenusOutside(host) {
    const close = (/** @type {Event} */ event) =>
        host.querySelectorAll('details[open]').forEach((menu) => {
            if (event.type === 'keydown' || !menu.contains(/** @type {Node} */ (event.composedPath()[0])))
                menu.removeAttribute('open');
        });
    listen(document, 'pointerdown', close);
    listen(
        host,
        'toggle',
        ({ target }) =>
            requestAnimationFrame(() =>
                /** @type {Element} */ (target).lastElementChild?.scrollIntoView({ block: 'nearest' }),
            ),
        { capture: true },
    );
    listen(host, 'keydown', (event) => event.key === 'Escape' && close(event));
}
