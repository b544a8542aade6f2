// SPDX-License-Identifier: Apache-2.0
/*
 * The graph for keys and screen readers: a tree next to the canvas, with the path to the selected frame and the frames
 * right below it. Arrow keys move as in the picture.
 */
import { el, refill } from '../../dom/elements.js';
import { placeOf } from '../../lib/text.js';
import { arrow, percent } from '../../lib/units.js';
import { pathTo, siblingOf } from '../../model/calltree.js';
import { ROOT } from '../../model/profile.js';
import { ownerName } from '../words.js';

/** A path of more frames than this shows only its end. */
const MOST_LEVELS = 40;

/**
 * @param {import('../../store/store.js').Store} store
 * @param {{reveal: (node: number) => void}} graph
 */
export function createOutline(store, graph) {
    const { select } = store;
    const element = el('div', {
        class: 'vh',
        id: 'tree',
        role: 'tree',
        tabindex: '0',
        'aria-label': 'Call tree. Arrow keys move, Enter zooms, Backspace zooms out.',
        onkeydown: keydown,
    });

    /** @param {number} node @param {number} level @param {number} place @param {number} of */
    function item(node, level, place, of) {
        const label = select.label(node);
        const sums = select.sums();
        const base = select.baseSums();
        const format = select.format();
        const words = [
            label.name,
            placeOf(label),
            ownerName(label),
            `total ${format.short(sums.total[node])}`,
            percent(sums.total[node], sums.total[ROOT]),
            base ? `before ${format.short(base.total[node])}` : '',
            base ? arrow(sums.total[node] - base.total[node], format.short) : '',
            store.state.order === 'callers' ? '' : `self ${format.short(sums.self[node])}`,
        ];
        return el(
            'div',
            {
                role: 'treeitem',
                id: `node-${node}`,
                'aria-level': level,
                'aria-posinset': place,
                'aria-setsize': of,
                'aria-selected': String(node === store.state.selected),
                'aria-expanded': select.graph().end[node] > node + 1 ? String(node !== ROOT) : null,
            },
            words.filter(Boolean).join(', '),
        );
    }

    function update() {
        const { selected } = store.state;
        const path = [ROOT].concat(pathTo(select.graph(), selected));
        const { heaviest, count } = select.childrenOf(selected);
        const from = Math.max(0, path.length - MOST_LEVELS);
        refill(
            element,
            ...path.slice(from).map((node, i) => item(node, from + i + 1, 1, 1)),
            ...heaviest.map((node, i) => item(node, path.length + 1, i + 1, count)),
        );
        element.setAttribute('aria-activedescendant', `node-${selected}`);
    }

    /** @param {1 | -1} step  to the next or previous frame next to the selected one */
    function sideways(step) {
        const next = siblingOf(select.graph(), select.held(), store.state.selected, step);
        if (next) graph.reveal(next);
    }

    /** @param {boolean} down */
    function vertical(down) {
        const { selected, upward } = store.state;
        const next =
            down !== upward
                ? select.childrenOf(selected).heaviest[0]
                : select.graph().parent[selected];
        if (next) graph.reveal(next);
    }

    /** @param {KeyboardEvent} event */
    function keydown(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const { selected, zoom } = store.state;
        const actions = /** @type {Record<string, () => void>} */ ({
            ArrowDown: () => vertical(true),
            ArrowUp: () => vertical(false),
            ArrowRight: () => sideways(1),
            ArrowLeft: () => sideways(-1),
            Enter: () =>
                store.set(select.label(selected).extra?.what === 'runner' ? { runner: false } : { zoom: selected }),
            Backspace: () => store.set({ zoom: select.graph().parent[zoom] }),
        });
        if (actions[event.key]) {
            event.preventDefault();
            actions[event.key]();
        }
    }

    store.onChange(update);
    return { element, update };
}
