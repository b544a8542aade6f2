// SPDX-License-Identifier: Apache-2.0
/* The panel of the selected frame: what it holds, who called it, what it called, and its stack to copy. */
import { el, icon, ownerClass, refill } from '../../dom/elements.js';
import { ownerName } from '../words.js';
import { createCallers } from './callers.js';
import { createCode } from './code.js';
import { createFacts } from './facts.js';
import { createStackCopy } from './stack.js';

/**
 * @param {import('../../store/store.js').Store} store
 * @param {HTMLElement} host
 * @param {{show: (of: import('../../model/graph.js').Graph, node: number) => void}} graph
 * @param {(work: () => Generator) => () => void} afterGraph  makes of work a change that may wait for the graph
 */
export function createSide(store, host, graph, afterGraph) {
    const { select } = store;
    const name = el('p', { class: 'name' });
    const sw = el('span', { class: 'sw' });
    const owner = el('span');
    const whose = el('p', { class: 'own' }, sw, owner);
    const code = createCode(store);
    const facts = createFacts(store);
    const callers = createCallers(store, graph.show);
    const stack = createStackCopy(store);
    const zoom = () => store.set({ zoom: store.state.selected });
    refill(
        host,
        el('h3', { id: 'p-head' }, 'Selected frame'),
        name,
        code.place,
        whose,
        facts.element,
        ...callers.elements,
        code.text,
        el('p', { class: 'acts' }, el('button', { class: 'btn', onclick: zoom }, icon('zoom'), 'Zoom'), stack.button),
        stack.byHand,
    );
    host.setAttribute('aria-labelledby', 'p-head');

    function* update() {
        const { state } = store;
        const { selected, order } = state;
        const figures = yield* facts.gather(selected);
        if (store.state !== state) return; // then all of this is made anew
        const label = select.label(selected);
        const lines = select.lines(selected);
        name.textContent = label.name;
        sw.setAttribute('class', `sw ${ownerClass(label.colour)}`);
        owner.textContent = ownerName(label);
        whose.hidden = owner.textContent === '';
        code.update(selected, label, lines);
        facts.update(selected, lines, figures);
        callers.update(selected, order === 'callers');
        stack.update();
    }

    store.onChange(afterGraph(update));
    return { update };
}
