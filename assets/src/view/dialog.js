// SPDX-License-Identifier: Apache-2.0
/* Dialogs: over the page until they are closed. */
import { closeButton, el } from '../dom/elements.js';
import { body } from '../dom/root.js';

/**
 * @param {string} kind   its class
 * @param {string} title
 * @param {...(Node | string)} content
 */
export function openDialog(kind, title, ...content) {
    const dialog = el(
        'dialog',
        { class: kind, 'aria-labelledby': 'h-dialog', onclose: () => dialog.remove() },
        el('div', { class: 'head' }, el('h2', { id: 'h-dialog' }, title), closeButton(() => dialog.close(), 'push')),
        ...content,
    );
    body.append(dialog);
    dialog.showModal();
    return dialog;
}
