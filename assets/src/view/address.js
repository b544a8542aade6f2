// SPDX-License-Identifier: Apache-2.0
/*
 * The state in the address: a reload, Back and a link show the same again. Only location.hash is used: a sandboxed page
 * may not call history, and a relative address in a srcdoc frame would lead to the page around it.
 */
import { listen } from '../dom/elements.js';
import { formatState, parseState } from '../model/state.js';

/** Typing makes one step of history, not one per letter; nor does dragging make one per pixel. */
const RESTS_MS = 600;

/**
 * @param {import('../store/store.js').Store} store
 * @param {import('../model/state.js').State} first
 * @param {import('../model/state.js').Known} known
 */
export function followAddress(store, first, known) {
    let timer = 0;
    let waits = false;
    let seen = location.hash;
    let follows = false;

    function write() {
        waits = false;
        // Back was pressed, or a link was followed, and the event is on its way: the state will follow it.
        if (location.hash !== seen) return;
        const hash = `#${formatState(store.state)}`;
        try {
            if (location.hash !== hash) location.hash = hash;
        } catch {
            // A sandbox may forbid it; the page works without it.
        }
        seen = location.hash;
    }

    store.onChange((changed) => {
        clearTimeout(timer);
        if (follows) return; // writing would add a step after Back, and end Forward
        if (changed.has('query') || changed.has('window')) {
            timer = window.setTimeout(write, RESTS_MS);
        } else if (!waits) {
            // Before anything else happens to the page: two clicks are two steps, and a reload loses none.
            waits = true;
            queueMicrotask(write);
        }
    });
    listen(window, 'hashchange', () => {
        seen = location.hash;
        if (location.hash === `#${formatState(store.state)}`) return;
        follows = true;
        store.set(parseState(location.hash, first, known));
        follows = false;
    });
}
