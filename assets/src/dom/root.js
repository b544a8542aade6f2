// SPDX-License-Identifier: Apache-2.0
/*
 * Where the card is: the document, or a shadow root within another page (--fragment). There, ids, classes and styles of
 * the two do not mix, and the address, the keys and the height of the page are not the card's.
 */

/** Where its elements are found. @type {Document | ShadowRoot} */
export let root = document;

/** The element that carries the theme. @type {HTMLElement} */
export let host = document.documentElement;

/** Takes dialogs. @type {Element | ShadowRoot} */
export let body = document.body;

export const isFragment = () => root !== document;

/** The page as the program wrote it; null for a fragment, whose page is not ours. @type {Element | null} */
export let written = null;

/** Keeps the page, before anything in it changes. */
export function keepPage() {
    if (!isFragment()) written = /** @type {Element} */ (document.documentElement.cloneNode(true));
}

/**
 * Finds the card that a script belongs to: the element before it, or the page. If the browser has not made the shadow
 * root, as when a page inserts the fragment by script, it is made here.
 * @param {Element | null} script
 */
export function enterRoot(script) {
    const before = script?.previousElementSibling;
    if (!(before instanceof HTMLElement) || !before.matches('.profrender')) return;
    const template = before.querySelector(':scope > template');
    if (!before.shadowRoot && template instanceof HTMLTemplateElement) {
        before.attachShadow({ mode: 'open' }).append(template['content']);
        template.remove();
    }
    if (before.shadowRoot) {
        root = body = before.shadowRoot;
        host = before;
    }
}
