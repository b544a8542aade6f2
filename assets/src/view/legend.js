// SPDX-License-Identifier: Apache-2.0
/*
 * What is drawn in the lane of the heap, by name, with what it holds at the cursor: the functions of the stack, or the
 * frame that is selected or pointed at.
 */
import { el, ownerClass, refill } from '../dom/elements.js';
import { shorten } from '../lib/text.js';
import { formatOf, partOf } from '../lib/units.js';
import { baseOf, labelOf } from '../model/graph.js';
import { NO_DATA, heapWord } from './words.js';

/** A longer name is cut. */
const NAME_CHARS = 24;

/** @param {import('../store/store.js').Store} store */
export function createLegend(store) {
    const { select, profile } = store;
    const element = el('div', { class: 'layers', hidden: true });
    const format = formatOf('bytes');
    /** What the entries are for. @type {unknown} */
    let shown = null;
    let entries = /** @type {{name: string, what: HTMLElement, value: HTMLElement}[]} */ ([]);

    /** @param {Node} mark @param {string} name @param {(() => void) | null} onclick */
    function entry(mark, name, onclick) {
        const value = el('span', { class: 'c' });
        const tag = onclick ? 'button' : 'span';
        const what = el(tag, { class: 'layer', onclick }, mark, shorten(name, NAME_CHARS), value);
        entries.push({ name, what, value });
        return what;
    }

    /**
     * The views show a layer's function; where it holds nothing at the moment that they show, when it holds most.
     * @param {import('../model/layers.js').Layer} layer
     */
    function open({ node, bytes, most }) {
        const base = baseOf(select.called(), node);
        const tab = store.tabs.find(({ metric }) => select.metricAt(metric)?.name === 'peak');
        if (tab && select.metric().name !== 'peak') store.set({ tab: tab.name });
        const bin = bytes.indexOf(most);
        if (!select.plain().sums().total[node]) store.set({ window: { first: bin, last: bin } });
        store.set({ selected: select.nodeOfProfile(base) });
    }

    /** @param {import('../model/layers.js').Layer[]} layers */
    function nameLayers(layers) {
        const { called } = select;
        const named = layers.map((layer, i) => {
            const mark = el('span', { class: 'sw' });
            mark.style.background = `var(--hue-${i + 1})`;
            return entry(mark, labelOf(profile, called(), layer.node).name, () => open(layer));
        });
        return [...named, entry(el('span', { class: 'sw rest' }), 'the rest', null)];
    }

    /** @param {import('./lanes/lanes.js').Life} life */
    function nameLife({ name, owner }) {
        const back = el('button', { class: 'link', onclick: () => store.unselect() }, 'Largest functions');
        const mark = el('span', { class: `sw ${ownerClass(owner)}` });
        const frame = entry(mark, name, null); // before the rest, as its values come
        return [frame, entry(el('span', { class: 'without' }), `${heapWord(profile)} without it`, null), back];
    }

    return {
        element,
        /**
         * @param {object} now
         * @param {import('./lanes/lanes.js').Life | null} now.life
         * @param {import('./lanes/lanes.js').Stack | null} now.stack
         * @param {number} now.bin      the cursor's
         * @param {number} now.pointed  the layer under the pointer; -1 = none
         * @returns {string} what the pointer is on
         */
        update({ life, stack, bin, pointed }) {
            const heap = profile.history?.bins.peak[bin] ?? 0;
            const of = life ? `${life.name} ${life.owner}` : (stack?.layers ?? null);
            element.hidden = !of;
            if (of !== shown) {
                entries = [];
                refill(element, ...(life ? nameLife(life) : stack ? nameLayers(stack.layers) : []));
                shown = of;
            }
            const held = life ? [life.value[bin]] : (stack?.layers.map(({ bytes }) => bytes[bin]) ?? []);
            held.push(heap - held.reduce((sum, value) => sum + value, 0));
            entries.forEach(({ name, what, value }, i) => {
                const isKnown = held[i] >= 0;
                value.textContent = isKnown ? format.short(held[i]) : NO_DATA;
                what.title = isKnown ? `${name}: ${partOf(format, held[i], heap)}` : '';
                what.classList.toggle('on', i === pointed);
            });
            return entries[pointed]?.what.title ?? '';
        },
    };
}
