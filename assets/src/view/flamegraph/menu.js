// SPDX-License-Identifier: Apache-2.0
/* What can be done with a frame: a menu at the pointer, or with the menu key at the selected frame. */
import { el, listen, muted, refill } from '../../dom/elements.js';
import { shorten } from '../../lib/text.js';
import { frameOf } from '../../model/first.js';
import { packageName } from '../../model/graph.js';
import { canLend, placeName } from '../../model/lent.js';
import { ROOT } from '../../model/profile.js';
import { isOfObjects } from '../words.js';

/** A longer name is cut. */
const MOST_CHARS = 40;

const CALL_WORDS = {
    through: 'Only stacks through this',
    hide: 'Hide this function',
    around: 'All its callers and callees',
};
const OBJECT_WORDS = {
    through: 'Only paths through this',
    hide: 'Hide this class or field',
    around: 'Everything that retains it or that it retains',
};

/**
 * @param {import('../../store/store.js').Store} store
 * @param {HTMLElement} host  the menu is placed in it
 * @param {() => void} leave  gives the focus back
 */
export function createMenu(store, host, leave) {
    const element = el('div', { class: 'ctx', role: 'menu', 'aria-label': 'Frame', hidden: true, onkeydown: keydown });
    host.append(element);

    const items = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll('button:not(:disabled)')]);

    /** @param {boolean} [back]  the focus goes back to the graph */
    function close(back = false) {
        if (element.hidden) return;
        element.hidden = true;
        if (back) leave();
    }

    /** @param {KeyboardEvent} event */
    function keydown(event) {
        const all = items();
        const now = all.findIndex((item) => item === event.target);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === 'Escape' || event.key === 'Tab') close(true);
        else if (step) all[(now + step + all.length) % all.length].focus();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /** @param {string} label @param {string} note @param {Partial<import('../../model/state.js').State>} change */
    const item = (label, note, change) =>
        el(
            'button',
            {
                role: 'menuitem',
                tabindex: '-1',
                onclick: () => {
                    close(true);
                    store.set(change);
                },
            },
            label,
            muted(note),
        );

    /** @param {number} node */
    function choices(node) {
        const { state, profile } = store;
        const frame = frameOf(store.profile, store.select.graph(), node);
        const zoomIn = item('Zoom in', 'double click', { zoom: node, selected: node });
        const zooms = store.select.isSandwich() ? [] : [zoomIn];
        if (state.zoom !== ROOT) zooms.push(item('Zoom out', '0', { zoom: ROOT }));
        if (frame === null) return zooms;
        const words = isOfObjects(store.profile) ? OBJECT_WORDS : CALL_WORDS;
        return [
            ...zooms,
            item(words.through, '', { through: frame, zoom: ROOT }),
            item(words.hide, '', { drop: state.drop.concat(frame) }),
            ...(profile.frames.package[frame]
                ? [item('Hide this package', packageName(profile, frame), { away: state.away.concat(frame) })]
                : []),
            ...(canLend(profile, frame) && !isOfObjects(profile)
                ? [item('Count as library', placeName(profile, frame), { lent: state.lent.concat(frame) })]
                : []),
            item(words.around, 'S', { selected: node, order: 'sandwich', focus: frame }),
        ];
    }

    listen(document, 'pointerdown', (event) => {
        if (!element.contains(/** @type {Node} */ (event.composedPath()[0]))) close();
    });

    return {
        close,
        /** @param {number} node @param {{x: number, y: number}} at  in pixels of the host */
        open(node, at) {
            const { name } = store.select.label(node);
            refill(element, el('p', { class: 'mono', title: name }, shorten(name, MOST_CHARS)), ...choices(node));
            element.hidden = false;
            element.style.left = `${Math.max(0, Math.min(at.x, host.clientWidth - element.offsetWidth))}px`;
            element.style.top = `${at.y}px`;
            items()[0]?.focus({ preventScroll: true });
        },
    };
}
