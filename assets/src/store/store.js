// SPDX-License-Identifier: Apache-2.0
/*
 * The store: what was chosen (state), what follows from it (select), and what changes it (set, zoomCallers). Views read
 * it, call its commands, and know nothing of one another.
 */
import { createCommands } from './commands.js';
import { createSelectors } from './selectors.js';
import { createState } from './state.js';

/** @typedef {ReturnType<typeof createStore>} Store */

/**
 * @param {import('../model/profile.js').Profile} profile
 * @param {import('./selectors.js').Tab[]} tabs
 * @param {import('../model/state.js').Wanted} initial
 * @param {import('../model/source.js').Sources} sources
 * @param {Record<string, number>} [told]  by tab, the node of the profile's own tree that its first finding is about
 */
export function createStore(profile, tabs, initial, sources, told = {}) {
    const kept = createState(/** @type {import('../model/state.js').State} */ (initial));
    const { choice, onChange, onBusy, onHover, hover } = kept;
    const select = createSelectors(profile, tabs, choice);
    return {
        profile,
        tabs,
        sources,
        get state() {
            return choice.state;
        },
        select,
        ...createCommands(profile, tabs, kept, select, told),
        onChange,
        onBusy,
        onHover,
        hover,
    };
}
