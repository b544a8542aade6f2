// SPDX-License-Identifier: Apache-2.0
/* What the tooltip says about a box. */
import { OWNER_SMALLER } from '../../lib/owners.js';
import { placeOf, shortPath } from '../../lib/text.js';
import { chainName } from '../../model/chain.js';
import { smallerName } from '../../model/graph.js';
import { seenOrAway } from '../../model/layout.js';
import { ROOT } from '../../model/profile.js';
import { ownerName, spanOfNs } from '../words.js';

/** @typedef {import('../../model/layout.js').Layout} Layout */
/** @typedef {import('../../store/shown.js').Shown} Shown */

/** A longer path loses its middle. */
const PATH_CHARS = 72;

/**
 * @param {import('../../store/store.js').Store} store
 * @param {Shown} shown
 * @param {Layout} layout
 * @param {number} box
 * @returns {import('./tooltip.js').TipText}
 */
export function tipText({ select, state }, shown, layout, box) {
    const isTimed = select.order() === 'time';
    const node = layout.node[box];
    const many = layout.smaller[box];
    const total = layout.value[box];
    if (many) {
        return {
            name: smallerName(many),
            place: 'too narrow to draw, but counted; click to zoom in',
            owner: OWNER_SMALLER,
            ownerName: '',
            total,
            before: null,
            self: null,
            count: isTimed ? null : smallerCount(shown, layout, node),
        };
    }
    const label = shown.label(node);
    const sums = shown.sums();
    const opens = label.extra?.what === 'runner';
    const chained = chainName(shown, node, layout.last[box]);
    const place = chained
        ? `${chained.suffix.trim() || shortPath(placeOf(label), PATH_CHARS)}; double-click shows each frame`
        : shortPath(placeOf(label), PATH_CHARS);
    return {
        name: chained?.name ?? label.name,
        place: opens ? 'click to open them' : place + whenOf(shown, node),
        owner: label.colour,
        ownerName: ownerName(label),
        total: sums.total[node],
        before: shown.baseSums()?.total[node] ?? null,
        self: state.order === 'callers' || shown === select.callers ? null : sums.self[node],
        count: isTimed ? null : sums.totalCount[node],
    };
}

/** In order of time: when a call ran. @param {Shown} shown @param {number} node */
function whenOf(shown, node) {
    const graph = shown.graph();
    if (!('start' in graph)) return '';
    const { start, stop, lacksClock } = /** @type {import('../../model/timeorder.js').TimeGraph} */ (graph);
    return lacksClock ? '' : `  ${spanOfNs(start[node], stop[node])}`;
}

/**
 * How much the smaller frames below a node count: its count minus what is shown below it.
 * @param {Shown} shown
 * @param {Layout} layout
 * @param {number} parent
 */
function smallerCount(shown, layout, parent) {
    const { totalCount, selfCount } = shown.sums();
    const graph = shown.graph();
    let rest = totalCount[parent] - selfCount[parent];
    for (const node of seenOrAway(layout))
        if (node !== ROOT && graph.parent[node] === parent) rest -= totalCount[node];
    return rest;
}
