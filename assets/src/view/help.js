// SPDX-License-Identifier: Apache-2.0
/* Help: how to read the page, as the program wrote it at its foot. */
import { el, iconButton } from '../dom/elements.js';
import { root } from '../dom/root.js';
import { openDialog } from './dialog.js';

export function createHelp() {
    const reading = root.querySelector('.howto > div');
    const open = () =>
        openDialog('', 'How to read this', el('div', { class: 'howto' }, reading?.cloneNode(true) ?? ''));
    return { button: iconButton('help', 'Help and keyboard shortcuts', 'Help', open), open };
}
