// SPDX-License-Identifier: Apache-2.0
/*
 * On a phone the panel of the selected frame is screens away: what was tapped is named at the lower edge, with its size
 * and what can be done with it. Styles show it on narrow cards only.
 */
import { closeButton, el, figure, icon, refill, share, swatch } from '../dom/elements.js';
import { ROOT } from '../model/profile.js';
import { createStackCopy } from './side/stack.js';

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement} host   it sticks to the lower edge of the screen while this is in view
 * @param {HTMLElement} panel  has the rest
 */
export function createSheet(store, host, panel) {
    const { select } = store;
    const name = el('p', { class: 'name' });
    const sums = el('p', { class: 'much' });
    const stack = createStackCopy(store);
    const zoom = () => store.set({ zoom: store.state.selected });
    const more = () => panel.scrollIntoView({ block: 'start' });
    const element = el(
        'section',
        { class: 'sheet', 'aria-label': 'Selected frame, summary', hidden: true },
        el('div', {}, name, sums),
        closeButton(() => void (element.hidden = true)),
        el(
            'p',
            { class: 'do' },
            el('button', { class: 'btn', onclick: zoom }, icon('zoom'), 'Zoom'),
            stack.button,
            el('button', { class: 'btn', onclick: more }, 'More'),
        ),
        stack.byHand,
    );
    host.append(element);
    // A tap on what is selected already is a question, too; a tap on a row draws the rows anew.
    const ask = (/** @type {Event} */ { target }) => {
        if (!(/** @type {Element} */ (target).closest('.flame, tr[aria-selected]'))) return;
        element.hidden = store.state.selected === ROOT;
        update();
    };
    host.addEventListener('click', ask, true);

    store.onChange((changed) => {
        const { selected } = store.state;
        // What a tab or a filter selects by itself, nobody has asked about.
        if (changed.has(/* @__KEY__ */ 'selected'))
            element.hidden = changed.has(/* @__KEY__ */ 'tab') || selected === ROOT;
        update();
    });

    function update() {
        if (element.hidden) return;
        const { selected } = store.state;
        const label = select.label(selected);
        const { total } = select.sums();
        const format = select.format();
        refill(name, swatch(label.colour), label.name);
        refill(sums, el('b', {}, figure(format, total[selected])), ' ', share(format, total[selected], total[ROOT]));
        stack.update();
    }
}
