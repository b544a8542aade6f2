// SPDX-License-Identifier: Apache-2.0
/* The stack of the selected frame, to copy. */
import { copyText } from '../../dom/copy.js';
import { el, icon, refill } from '../../dom/elements.js';
import { placeOf } from '../../lib/text.js';
import { pathTo } from '../../model/calltree.js';

/** The stack as one reads it: the outermost frame first. @param {import('../../store/store.js').Store} store */
function stackText({ select, state }) {
    const path = pathTo(select.graph(), state.selected).map((node) => select.label(node));
    return (state.order === 'callers' ? path.reverse() : path)
        .filter(({ extra }) => extra?.what !== 'runner')
        .map((label) => [label.name, placeOf(label)].filter(Boolean).join('  '))
        .join('\n');
}

/** @param {import('../../store/store.js').Store} store */
export function createStackCopy(store) {
    const button = el('button', { class: 'btn', onclick: copy });
    const byHand = el('textarea', { hidden: true, readonly: true, 'aria-label': 'The stack, to copy by hand' });

    async function copy() {
        const done = await copyText(stackText(store));
        refill(button, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Select to copy');
        byHand.hidden = done;
        if (!done) {
            byHand.value = stackText(store);
            byHand.select();
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
