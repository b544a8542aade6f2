// SPDX-License-Identifier: Apache-2.0
/* The stack of the selected frame, to copy. */
import { copyText } from '../../dom/copy.js';
import { el, icon, refill } from '../../dom/elements.js';
import { stackText } from '../share.js';

/** @param {import('../../store/store.js').Store} store */
export function createStackCopy(store) {
    const button = el('button', { class: 'btn', onclick: copy });
    const byHand = el('textarea', { hidden: true, readonly: true, 'aria-label': 'The stack, to copy manually' });

    async function copy() {
        const done = await copyText(stackText(store, store.state.selected));
        refill(button, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Select to copy');
        byHand.hidden = done;
        if (!done) {
            byHand.value = stackText(store, store.state.selected);
            byHand['select']();
        }
    }

    return {
        button,
        byHand,
        update() {
            refill(button, icon('copy'), 'Copy stack');
            byHand.hidden = true;
        },
    };
}
