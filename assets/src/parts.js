// SPDX-License-Identifier: Apache-2.0
/*
 * What only some cards carry. Each file in parts/ puts its functions here; where the program left a part out, its
 * functions are missing. bundle.mjs decides which modules a part brings along.
 */

/** @typedef {import('./store/store.js').Store} Store */
/** @typedef {import('./model/profile.js').Profile} Profile */
/** @typedef {(name: string) => HTMLElement | null} Mount  finds a place to fill */

/**
 * The views of the profile.
 * @typedef {object} Views
 * @property {ReturnType<typeof import('./view/flamegraph/flamegraph.js').createFlamegraph>} graph
 * @property {ReturnType<typeof import('./view/search.js').createSearch>} search
 * @property {HTMLElement} save
 * @property {(node: number) => void} showNode  of the profile's own tree
 * @property {() => void} update
 * @property {() => void} nextView  of graph, tree and table
 * @property {() => void} fit  the page has another width
 */

/** @typedef {(node: number) => void} ShowNode */
/** @typedef {(store: Store, show: ShowNode, isPair: boolean) => {update: () => void} | null} Comparison */

/**
 * @typedef {object} Parts
 * @property {(store: Store, tabs: import('./view/tabs.js').TabButton[], mount: Mount) => Views} [profile]
 * @property {typeof import('./view/tree.js').createTree} [tree]
 * @property {(store: Store, mount: Mount) => {
 *     timeline?: import('./view/timeline.js').Timeline,
 *     part?: ReturnType<typeof import('./view/window/window.js').createWindow> | null,
 * }} [time]
 * @property {typeof import('./view/bands.js').createBands} [phases]
 * @property {{
 *     split: typeof import('./model/resident.js').splitResident,
 *     paint: typeof import('./view/lanes/resident.js').paintResident,
 * }} [resident]
 * @property {import('./payload/profile.js').Readers} [readers]
 * @property {typeof import('./view/heat/heat.js').createHeat} [heat]
 * @property {Comparison} [comparison]
 * @property {typeof import('./view/meet.js').meeting} [meeting]
 * @property {(store: Store) => void} [difference]
 * @property {(first: Store, become: (whole: Profile, pair: null) => Store) => void} [large]
 * @property {(store: Store, graph: Views['graph']) => {element: HTMLElement, update: () => void}} [source]
 */

/** @type {Parts} */
export const parts = {};
