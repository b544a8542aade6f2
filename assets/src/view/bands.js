// SPDX-License-Identifier: Apache-2.0
/* The phases of the run: a band for each, on top of the lanes. A click makes it the window, or zooms to it. */
import { el, press } from '../dom/elements.js';
import { root } from '../dom/root.js';
import { exactMoment, moment } from '../lib/units.js';
import { isSameWindow, windowOfPhase } from '../model/time.js';
import { timeScale } from './lanes/scale.js';

/** A narrower band has no name, a much narrower one is not drawn. */
const NAME_PX = 24;
const LEAST_PX = 2;

/** @typedef {import('../model/profile.js').Phase} Phase */

/**
 * @param {import('../store/store.js').Store} store
 * @param {(from: number, to: number) => void} show  zooms
 */
export function createBands(store, show) {
    const { phases, history } = store.profile;
    const span = store.select.span();
    const partOf = (/** @type {Phase} */ phase) => history && windowOfPhase(history.bins, phase);
    const isOpen = (/** @type {Phase} */ phase) =>
        store.state.window !== null && isSameWindow(store.state.window, partOf(phase));

    /** @param {Phase} phase */
    function choose(phase) {
        if (history) store.set({ window: isOpen(phase) ? null : partOf(phase), against: null });
        else show(phase.from, phase.to);
    }

    const bands = phases.map((phase) => {
        const name = phase.name || 'before the first mark';
        const length = moment(phase.to - phase.from, 0);
        const title = `${name}: ${length}, from ${exactMoment(phase.from - span.from)}`;
        return el('button', { class: 'band', title, onclick: () => choose(phase) }, phase.name || '\u2026');
    });
    // The program's table of phases leads to them too.
    for (const place of root.querySelectorAll('[data-phase]')) {
        const phase = phases[Number(/** @type {HTMLElement} */ (place).dataset.phase)];
        const link = el('button', { class: 'link', onclick: () => choose(phase) });
        link.append(...place.childNodes);
        if (phase) place.replaceChildren(link);
    }
    const element = el('div', { class: 'bands', role: 'group', 'aria-label': 'Phases' }, ...bands);

    function mark() {
        bands.forEach((band, i) => press(band, isOpen(phases[i])));
    }
    store.onChange((changed) => changed.has(/* @__KEY__ */ 'window') && mark());
    mark();
    return {
        label: el('div', { class: 'bands-name' }, 'Phases'),
        element,
        /** @param {{from: number, to: number}} view @param {number} width  of the plot */
        draw(view, width) {
            const { toX } = timeScale(view, width);
            phases.forEach(({ from, to }, i) => {
                const left = toX(Math.max(from, view.from));
                const wide = toX(Math.min(to, view.to)) - left;
                const { style } = bands[i];
                bands[i].hidden = wide < LEAST_PX;
                style.left = `${left}px`;
                style.width = `${Math.max(0, wide - 1)}px`;
                style.fontSize = wide < NAME_PX ? '0' : '';
            });
        },
    };
}
