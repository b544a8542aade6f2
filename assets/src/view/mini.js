// SPDX-License-Identifier: Apache-2.0
/* Below the graph: the functions that hold most by themselves, and the owners of the code, which is the legend too. */
import { el } from '../lib/dom.js';
import { placeOf } from '../lib/text.js';
import { formatOf, percent } from '../lib/units.js';
import { sumByOwner } from '../model/calltree.js';
import { baseOf, labelOf, nodeFor } from '../model/graph.js';
import { orderBy } from '../model/order.js';
import { ROOT } from '../model/profile.js';
import { createList } from './list.js';
import { OWNER_SHORT } from './words.js';

/** So many functions are listed. */
const MOST_FUNCTIONS = 6;

/**
 * @param {import('../page.js').Page} page
 * @param {HTMLElement} host
 * @param {{reveal: (node: number) => void}} graph
 */
export function createMini(page, host, graph) {
    const top = createList('h-top'), owners = createList('h-own', 'words');
    host.replaceChildren(
        el('div', {}, el('h3', { id: 'h-top' }, 'Most by itself'), top.element),
        el('div', {}, el('h3', { id: 'h-own' }, 'By owner of the code'), owners.element));

    function update() {
        const whole = page.sums().total[ROOT];
        host.hidden = whole <= 0;
        if (page.isTable || whole <= 0)
            return;
        const rows = page.functions(), format = formatOf(page.metric.unit), flat = page.flat();
        const first = Array.from(orderBy(rows.self, true).slice(0, MOST_FUNCTIONS)).filter((row) => rows.self[row] > 0);
        top.fill(first.map((row) => {
            const label = labelOf(page.profile, flat, rows.node[row]), value = rows.self[row];
            return {
                name: label.name, title: placeOf(label) || label.name, value, share: value / rows.self[first[0]],
                owner: rows.owner[row], note: percent(value, whole),
                go: () => graph.reveal(nodeFor(page.graph(), baseOf(flat, rows.node[row]))),
            };
        }), format);
        const sums = Array.from(sumByOwner(page.profile, page.graph(), page.sums()), (value, owner) => ({ value, owner }));
        owners.fill(sums.filter(({ value }) => value > 0).map(({ value, owner }) => (
            { name: OWNER_SHORT[owner], value, share: value / whole, owner, text: percent(value, whole) })), format);
    }

    page.onChange((changed) => {
        if (!(changed.size === 1 && (changed.has('selected') || changed.has('query'))))
            update();
    });
    return { update };
}
