// SPDX-License-Identifier: Apache-2.0
/* Who called the selected frame, and what it called. */
import { el } from '../../dom/elements.js';
import { OWNER_RUNNER, OWNER_SMALLER, isCode } from '../../lib/owners.js';
import { placeOf, suffixOf } from '../../lib/text.js';
import { count } from '../../lib/units.js';
import { beginOf } from '../../model/groups.js';
import { ROOT } from '../../model/profile.js';
import { createList } from '../list.js';
import { isOfObjects } from '../words.js';

/** @typedef {import('../../store/shown.js').Shown} Shown */
/** @typedef {import('../list.js').Item} Item */

/** The number of callers or callees that have a row of their own. */
const MOST_ROWS = 6;

const CALL_WORDS = { called: 'Called', caller: 'Caller', callers: 'Callers', callees: 'Callees' };
const OBJECT_WORDS = { called: 'Retained', caller: 'Retained by', callers: 'Retained by', callees: 'Retains' };

/**
 * @param {import('../../store/store.js').Store} store
 * @param {(of: import('../../model/graph.js').Graph, node: number) => void} show
 */
export function createCallers(store, show) {
    const { select } = store;
    const callerHead = el('h3', { id: 'h-callers' });
    const hasObjects = isOfObjects(store.profile);
    const words = hasObjects ? OBJECT_WORDS : CALL_WORDS;
    const calleeHead = el('h3', { id: 'h-callees' });
    const callers = createList('h-callers');
    const callees = createList('h-callees');

    const selfTitle = hasObjects ? 'the objects themselves' : 'in this frame itself, not in the functions it called';

    /** In a difference, what it was. @param {Shown} shown @param {number} node */
    const before = (shown, node) => ({ before: shown.baseSums()?.total[node] });

    /** @param {Shown} shown @param {number} node @param {number} value @param {number} share @returns {Item} */
    function itemOf(shown, node, value, share) {
        const label = shown.label(node);
        return {
            name: label.name,
            suffix: suffixOf({ ...label, line: beginOf(store.profile, shown.graph().frame[node]) }),
            title: placeOf(label) || label.name,
            value,
            share,
            owner: label.colour,
            ...before(shown, node),
            go: label.owner === OWNER_SMALLER ? null : () => show(shown.graph(), node),
        };
    }

    /** The heaviest frames below a node; the others in one row. @param {Shown} shown @param {number} node */
    function itemsOf(shown, node) {
        const { total } = shown.sums();
        const base = shown.baseSums();
        const all = shown.childrenOf(node);
        const children = all.heaviest.slice(0, MOST_ROWS);
        const share = (/** @type {number} */ value) => (total[node] > 0 ? value / total[node] : 0);
        const items = children.map((child) => itemOf(shown, child, total[child], share(total[child])));
        if (all.count > children.length && base) {
            const name = `${count(all.count - children.length)} more`;
            items.push({ name, title: '', value: 0, share: 0, owner: OWNER_SMALLER, text: el('span'), go: null });
        } else if (all.count > children.length) {
            const value = children.reduce((rest, child) => rest - total[child], all.sum);
            const name = `${count(all.count - children.length)} more`;
            items.push({ name, title: '', value, share: share(value), owner: OWNER_SMALLER, go: null });
        }
        return items;
    }

    /** In a difference, bars are as long as the changes. @param {Item[]} items */
    function byChange(items) {
        if (!select.baseSums()) return items;
        const changes = items.map(({ value, before: was = value }) => Math.abs(value - was));
        const most = Math.max(...changes) || 1;
        return items.map((item, i) => ({ ...item, share: changes[i] / most }));
    }

    /** One frame, or all callers of the function in the middle of a sandwich. @param {number} node */
    function itemsAbove(node) {
        if (node === ROOT) return [];
        if (select.isSandwich() && node === ROOT + 1)
            return byChange(itemsOf(select.callers, select.callers.graph().count > 1 ? ROOT + 1 : ROOT));
        const item = itemOf(select, select.graph().parent[node], select.sums().total[node], 1);
        return [{ ...item, ...before(select, node) }];
    }

    /** Callers of a frame if turned, else its callees; and itself. @param {number} node @param {boolean} isTurned */
    function itemsBelow(node, isTurned) {
        const { self, total } = select.sums();
        const base = select.baseSums();
        const items = itemsOf(select, node);
        const owner = select.colour(node);
        if (self[node] > 0 || (base?.self[node] ?? 0) > 0 || !items.length) {
            items.push({
                name: isTurned ? (hasObjects ? 'no holder' : 'no caller') : 'self',
                title: isTurned ? 'the stack begins with this frame' : selfTitle,
                value: self[node],
                share: total[node] > 0 ? self[node] / total[node] : 0,
                before: base?.self[node],
                owner: isCode(owner) ? owner : OWNER_RUNNER,
                go: null,
            });
        }
        return byChange(items);
    }

    return {
        elements: [callerHead, callers.element, calleeHead, callees.element],
        /** @param {number} node @param {boolean} isTurned  callers are below what they called */
        update(node, isTurned) {
            const format = select.format();
            const above = itemsAbove(node);
            for (const { element } of [callers, callees])
                element.classList.toggle('moves', select.baseMetric() !== null);
            callerHead.textContent = isTurned ? words.called : above.length > 1 ? words.callers : words.caller;
            calleeHead.textContent = isTurned ? words.callers : words.callees;
            callerHead.hidden = callers.element.hidden = !above.length;
            callers.fill(above, format);
            callees.fill(itemsBelow(node, isTurned), format);
        },
    };
}
