// SPDX-License-Identifier: Apache-2.0
/* The pointer on a picture: hovering, clicking, tapping, two fingers. */
import { el, listen } from '../../dom/elements.js';
import { formatOf } from '../../lib/units.js';
import { frameOf } from '../../model/first.js';
import { rowOf, seenOrAway } from '../../model/layout.js';
import { ROOT } from '../../model/profile.js';
import { ROW_PX } from './painter.js';
import { followAcross } from './across.js';
import { tipText } from './tip.js';
import { createTooltip } from './tooltip.js';

/** @typedef {import('../../store/store.js').Store} Store */
/** @typedef {import('./surface.js').Surface} Surface */
/** @typedef {import('./picture.js').Pane} Pane */

/** Two clicks or taps within this time zoom. */
const DOUBLE_TAP_MS = 400;

/**
 * @param {Store} store
 * @param {Surface} surface
 * @param {Pane} pane
 * @param {ReturnType<typeof import('./menu.js').createMenu>} menu
 */
export function followPointer(store, surface, pane, menu) {
    const { shown } = pane;
    const { canvas } = surface;
    const hover = createHover(store, surface, pane);
    const enter = entering(store, surface, pane);
    const isPanned = followAcross(surface, pane);
    let lastTap = { node: -1, at: 0 };

    /** @param {MouseEvent} event */
    function click(event) {
        const { layout } = surface;
        const box = surface.boxUnder(event);
        if (box < 0 || !layout || isPanned()) return;
        const node = layout.node[box];
        const isDouble = event.detail === 2 || event.timeStamp - lastTap.at < DOUBLE_TAP_MS;
        const again = lastTap.node === node && isDouble;
        const opens = layout.smaller[box] || shown.label(node).extra?.what === 'runner' || store.select.isSandwich();
        // What opens has other boxes at once: a second click is not about the same one.
        lastTap = { node: opens ? -1 : node, at: event.timeStamp };
        if (again || opens) enter(box);
        else store.set({ selected: node });
    }

    /** @param {MouseEvent} event */
    function openMenu(event) {
        const { layout } = surface;
        const box = surface.boxUnder(event);
        if (box < 0 || !layout || layout.smaller[box]) return;
        event.preventDefault();
        hover.hide();
        const node = layout.node[box];
        if (!store.select.isSandwich()) store.set({ selected: node });
        const { left, top } = surface.host.getBoundingClientRect();
        menu.open(node, { x: event.clientX - left, y: event.clientY - top });
    }

    listen(canvas, 'contextmenu', openMenu);
    listen(canvas, 'pointermove', (event) => event.pointerType !== 'touch' && hover.show(event));
    listen(canvas, 'pointerleave', hover.hide);
    listen(canvas, 'click', click);
    return { hide: hover.hide };
}

/**
 * The frame under the pointer, with its tooltip.
 * @param {Store} store
 * @param {Surface} surface
 * @param {Pane} pane
 */
function createHover(store, surface, { shown }) {
    const { host, flame } = surface;
    const mark = el('div', { class: 'hover', hidden: true });
    host.append(mark);
    const tooltip = createTooltip(host);

    const isMain = shown === store.select;

    function hide() {
        tooltip.hide();
        mark.hidden = true;
        if (isMain) store.hover(ROOT);
    }

    /** @param {PointerEvent} event */
    function show(event) {
        const { layout } = surface;
        const box = surface.boxUnder(event);
        if (box < 0 || !layout) {
            hide();
            return;
        }
        const frame = flame.getBoundingClientRect();
        const around = host.getBoundingClientRect();
        const y = frame.top - around.top + surface.yOf(rowOf(layout, box)) - flame.scrollTop;
        mark.hidden = y < 0 || y + ROW_PX > around.height;
        mark.style.left = `${frame.left - around.left + layout.left[box]}px`;
        mark.style.top = `${y}px`;
        mark.style.width = `${Math.max(2, layout.width[box] - 1)}px`;
        mark.style.height = `${ROW_PX - 1}px`;
        if (isMain) store.hover(layout.smaller[box] ? ROOT : layout.node[box]);
        const metric = store.select.metric();
        const at = { x: event.clientX - around.left, y: event.clientY - around.top };
        const text = tipText(store, shown, layout, box);
        tooltip.show(text, metric, formatOf(metric.unit), shown.sums().total[ROOT], at);
    }

    return { show, hide };
}

/**
 * What a click leads to.
 * @param {Store} store
 * @param {Surface} surface
 * @param {Pane} pane
 */
function entering(store, surface, pane) {
    const { shown } = pane;

    /** The heaviest child that has no box; the frame itself if none has a name. @param {number} node */
    function largestFolded(node) {
        const { layout } = surface;
        const { end, smaller } = shown.graph();
        const { total } = shown.held();
        const boxed = new Set(layout && seenOrAway(layout));
        let best = node;
        for (let child = node + 1; child < end[node]; child = end[child]) {
            const isFolded = !boxed.has(child) && !smaller[child] && total[child] > 0;
            if (isFolded && (best === node || total[child] > total[best])) best = child;
        }
        return best;
    }

    /** Zooms to a frame, puts it in the middle, opens the runner, or gives smaller frames room. @param {number} box */
    return function (box) {
        const layout = /** @type {NonNullable<typeof surface.layout>} */ (surface.layout);
        const node = layout.node[box];
        const focus = frameOf(store.profile, shown.graph(), node);
        if (layout.smaller[box]) pane.zoomTo(layout.top === node || pane.across() ? largestFolded(node) : node);
        else if (shown.label(node).extra?.what === 'runner') store.set({ runner: false });
        else if (layout.last[box] !== node) store.set({ chains: false, selected: node });
        else if (!store.select.isSandwich()) store.set({ zoom: node, selected: node });
        else if (focus === null || focus === store.state.focus) pane.zoomTo(ROOT);
        else store.set({ focus });
    };
}
