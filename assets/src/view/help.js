// SPDX-License-Identifier: Apache-2.0
/* Help: how to read the page, as the program wrote it at its foot. */
import { closeButton, el, icon, refill } from '../dom/elements.js';
import { body, root } from '../dom/root.js';

export function createHelp() {
    const close = closeButton(() => dialog.close(), 'push');
    const reading = root.querySelector('.howto > div');
    const content = el('div', { class: 'howto' });
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'h-help' },
        el('div', { class: 'head' }, el('h2', { id: 'h-help' }, 'How to read this'), close),
        content,
    );
    body.append(dialog);
    function open() {
        if (reading) refill(content, reading.cloneNode(true));
        if (!dialog.open) dialog.showModal();
    }
    const button = el(
        'button',
        {
            class: 'btn icon',
            'aria-label': 'Help and keyboard shortcuts',
            title: 'Help',
            onclick: open,
        },
        icon('help'),
    );
    return { button, open };
}
