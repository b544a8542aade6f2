// SPDX-License-Identifier: Apache-2.0
/* Copying text. A sandboxed page may be refused both ways; the caller then shows the text to be copied by hand. */
import { el } from './elements.js';
import { body, root } from './root.js';

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether it is on the clipboard
 */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copyBySelection(text);
    }
}

/** @param {string} text */
function copyBySelection(text) {
    const before = root.activeElement;
    const area = el('textarea', { class: 'vh', 'aria-hidden': 'true' });
    area.value = text;
    body.append(area);
    area['select']();
    try {
        return document.execCommand('copy');
    } catch {
        return false;
    } finally {
        area.remove();
        if (before instanceof HTMLElement) before.focus();
    }
}
