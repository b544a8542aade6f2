// SPDX-License-Identifier: Apache-2.0
/* What was chosen, and who is notified of a change. Only commands.js changes it; selectors.js reads it. */

/** @typedef {import('../model/state.js').State} State */
/** @typedef {import('../model/graph.js').Graph} Graph */

/**
 * @typedef {object} Choice
 * @property {State} state            replaced as a whole with each change
 * @property {number} metric          number of the metric that is shown
 * @property {number} zoomOfCallers   node, in the upper half of a sandwich
 * @property {boolean} byPerson       the selected frame was chosen by a person, not by us
 * @property {WeakMap<Graph, Graph>} turned  huge trees turned over bit by bit
 */

/** @typedef {(changed: Set<keyof State>) => void} Listener  is called after a change, with the names of what changed */

/** @param {State} initial */
export function createState(initial) {
    const listeners = /** @type {Listener[]} */ ([]);
    let tellBusy = (/** @type {number | null} */ _share) => {};
    let hover = (/** @type {number} */ _node) => {};
    return {
        /** @type {Choice} */
        choice: {
            state: initial,
            metric: 0,
            zoomOfCallers: 0,
            byPerson: Boolean(initial.selected),
            turned: new WeakMap(),
        },
        /** @param {Listener} listener */
        onChange: (listener) => void listeners.push(listener),
        /** @param {Set<keyof State>} changed */
        tell: (changed) => listeners.forEach((listener) => listener(changed)),
        /** @param {(share: number | null) => void} listener  gets how much of a long task is done; null = all of it */
        onBusy: (listener) => void (tellBusy = listener),
        /** @param {number | null} share */
        tellBusy: (share) => tellBusy(share),
        /** @param {(node: number) => void} listener  gets the frame under the pointer; ROOT = none */
        onHover: (listener) => void (hover = listener),
        /** @param {number} node  of the graph */
        hover: (node) => hover(node),
    };
}
