// SPDX-License-Identifier: Apache-2.0
/* The flamegraph of the tabs; in a sandwich there is one more for the callers, on top of it. */
import { el, listen } from '../../dom/elements.js';
import { frameOf } from '../../model/first.js';
import { baseOf, nodeFor } from '../../model/graph.js';
import { ROOT } from '../../model/profile.js';
import { createMenu } from './menu.js';
import { createOutline } from './outline.js';
import { createPicture } from './picture.js';

/** @typedef {import('../../store/store.js').Store} Store */

/** A graph of at most this many rows is lower than the panel of the selected frame would be next to it. */
const SHALLOW_ROWS = 14;

/** @param {Store} store @returns {import('./picture.js').Pane} */
const graphPane = (store) => ({
    shown: store.select,
    isUpward: () => store.state.upward && !store.select.isSandwich(),
    hiddenRows: () => (store.select.isSandwich() ? 1 : 0),
    zoom: () => store.state.zoom,
    selected: () => store.state.selected,
    across: () => store.state.across,
    zoomTo: (zoom, across = '') => store.set({ zoom, across }),
});

/** @param {Store} store @returns {import('./picture.js').Pane} */
function callersPane({ select, zoomCallers }) {
    let across = '';
    /** What it is a part of. */
    let held = /** @type {unknown} */ (null);
    return {
        shown: select.callers,
        isUpward: () => true,
        hiddenRows: () => 2,
        zoom: select.zoomOfCallers,
        selected: () => ROOT,
        across: () => (held === select.callers.held() ? across : ''),
        zoomTo(zoom, part = '') {
            across = part;
            held = select.callers.held();
            zoomCallers(zoom);
        },
    };
}

/**
 * @param {Store} store
 * @param {HTMLElement} host
 */
export function createFlamegraph(store, host) {
    const { select } = store;
    const { isSandwich } = select;
    const take = () => outline.element.focus({ preventScroll: true });
    const menu = createMenu(store, host, take);
    const graph = createPicture(store, host, graphPane(store), menu);
    const above = el('div', { class: 'above' });
    const callers = createPicture(store, above, callersPane(store), menu);
    const outline = createOutline(store, graph);
    host.prepend(outline.element);
    // Keys go on where a box was clicked.
    listen(host, 'click', ({ target }) => /** @type {HTMLCanvasElement} */ (target)['getContext'] && take());
    // The menu key, at the selected frame.
    listen(outline.element, 'contextmenu', (event) => {
        event.preventDefault();
        menu.open(store.state.selected, { x: 0, y: 0 });
    });

    /**
     * Shows a node of any graph of this profile.
     * @param {import('../../model/graph.js').Graph} of
     * @param {number} node
     */
    function show(of, node) {
        const focus = frameOf(store.profile, of, node);
        if (isSandwich() && focus !== null) store.set({ focus });
        else graph.reveal(of === select.graph() ? node : nodeFor(select.graph(), baseOf(of, node)));
    }

    /** @param {Set<keyof import('../../model/state.js').State>} [changed] */
    function update(changed) {
        if (!isSandwich()) above.remove();
        else if (!above.isConnected) outline.element['after'](above);
        graph.update(changed);
        if (isSandwich()) callers.update(changed);
        const isShallow = !host.hidden && !isSandwich() && graph.rows() <= SHALLOW_ROWS;
        const { classList: looks } = /** @type {Element} */ (host.closest('.split'));
        if (looks.contains('shallow') === isShallow) return;
        looks.toggle('shallow');
        graph.update(changed); // it has another width
    }

    store.onChange(update);
    return {
        update,
        outline,
        reveal: graph.reveal,
        flash: graph.flash,
        grow: graph.grow,
        show,
        /** What is drawn, from the top down. @param {number} width  0: that of the screen */
        parts: (width) => (isSandwich() ? [callers.part(width), graph.part(width)] : [graph.part(width)]),
        /** The theme changed. */
        recolour() {
            graph.recolour();
            if (isSandwich()) callers.recolour();
        },
    };
}
