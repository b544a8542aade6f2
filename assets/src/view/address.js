// SPDX-License-Identifier: Apache-2.0
/*
 * The state in the address: a reload, Back and a link show the same again. Steps are written to location.hash, as a
 * sandboxed page may not call history, and a relative address in a srcdoc frame would lead to the page around it.
 */
import { listen } from '../dom/elements.js';
import { parseState } from '../model/state.js';

/**
 * Typing and the wheel are written once they rest, not with each letter or notch. Dragging is one step as well, made
 * once the pointer is up.
 */
const RESTS_MS = 600;

/** What a person does not go back to: it changes the address, and is no step of history. */
const MINOR = /** @type {(keyof import('../model/state.js').State)[]} */ ([
    /* @__KEY__ */ 'selected',
    /* @__KEY__ */ 'theme',
    /* @__KEY__ */ 'sort',
    /* @__KEY__ */ 'descending',
    /* @__KEY__ */ 'upward',
    /* @__KEY__ */ 'query',
    /* @__KEY__ */ 'across',
]);

/** A sandbox, or a page within another one, may not change its history. @param {string} hash */
function replaces(hash) {
    try {
        history.replaceState(history['state'], '', hash);
        return true;
    } catch {
        return false;
    }
}

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
    let isStep = false;
    let isDown = false;

    function rests() {
        clearTimeout(timer);
        timer = window.setTimeout(() => (isDown ? rests() : write()), RESTS_MS);
    }

    function write() {
        waits = false;
        // Back was pressed, or a link was followed, and the event is on its way: the state will follow it.
        if (location.hash !== seen) return;
        const hash = `#${store.address()}`;
        try {
            if (location.hash === hash) return;
            if (isStep || !replaces(hash)) location.hash = hash;
            isStep = false;
        } catch {
            // A sandbox may forbid it; the page works without it.
        }
        seen = location.hash;
    }

    store.onChange((changed) => {
        isStep ||= [...changed].some((name) => !MINOR.includes(name));
        clearTimeout(timer);
        if (follows) return; // writing would add a step after Back, and end Forward
        // What changes while a person turns the wheel or drags the graph; types; drags a window.
        const isPanned = changed.has(/* @__KEY__ */ 'across') && changed.size === 1;
        if (isPanned || changed.has(/* @__KEY__ */ 'query') || changed.has(/* @__KEY__ */ 'window')) {
            rests();
        } else if (!waits) {
            // Before anything else happens to the page: two clicks are two steps, and a reload loses none.
            waits = true;
            queueMicrotask(write);
        }
    });
    // The end of a drag may be out of sight, as in another window: then a pointer moves with no button down.
    for (const type of /** @type {const} */ (['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])) {
        listen(window, type, (event) => (isDown = event.buttons > 0), { capture: true, passive: true });
    }
    listen(window, 'hashchange', () => {
        seen = location.hash;
        if (location.hash === `#${store.address()}`) return;
        follows = true;
        store.set(parseState(location.hash, first, known));
        follows = false;
    });
}
