// SPDX-License-Identifier: Apache-2.0
/* Keys that work everywhere except in fields and dialogs; in another page, while the card has the focus. */
import { listen } from '../dom/elements.js';
import { root } from '../dom/root.js';

/** @param {Record<string, () => void>} actions  by key, in lower case */
export function listenForKeys(actions) {
    listen(root, 'keydown', (heard) => {
        const event = /** @type {KeyboardEvent} */ (heard);
        const { target } = event;
        const typing = target instanceof Element && target.closest('input, select, textarea, dialog');
        if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
        const action = actions[event.key.toLowerCase()];
        if (action) {
            event.preventDefault();
            action();
        }
    });
}
