// SPDX-License-Identifier: Apache-2.0
/*
 * The window on the timeline: dragged over the lanes, moved by its handles, typed into two fields, or set with keys at
 * the cursor. It snaps outward to the time bins of the page.
 */
import { el, listen, refill } from '../../dom/elements.js';
import { formatOf, moment } from '../../lib/units.js';
import { binAt } from '../../model/time.js';
import { heapWord, spanName } from '../words.js';
import { binBelow, createDrag } from './drag.js';
import { createFields } from './fields.js';
import { createHandles } from './handles.js';
import { runOf } from './run.js';

/** @typedef {import('./run.js').Window} Window */
/** @typedef {import('./run.js').End} End */
/** @typedef {import('../../store/store.js').Store} Store */

/** What changes fast is announced once it rests. */
const REST_MS = 400;

/**
 * @param {Store} store
 * @param {import('../timeline.js').Timeline} timeline
 * @param {HTMLElement} host  for the fields; they come before its content
 */
export function createWindow(store, timeline, host) {
    const run = runOf(store);
    const { bins, whole } = run;
    const { canvas } = timeline;
    const say = createStatus(timeline.plot);
    const announce = () => say(announcement(store));
    const get = () => store.state.window;
    const set = (/** @type {Window | null} */ window) => store.set({ window });
    let dragging = false;
    const commands = {
        get,
        set,
        reset() {
            set(null);
            canvas.focus({ preventScroll: true });
        },
        /** @param {End} end @param {number} by  in bins */
        moveEdge(end, by) {
            const now = get() ?? whole;
            const [least, most] = end === 'first' ? [0, now.last] : [now.first, whole.last];
            set({ ...now, [end]: Math.max(least, Math.min(most, now[end] + by)) });
        },
        say,
    };
    const drag = createDrag(run, timeline, commands, {
        place: (chosen) => handles.place(chosen),
        begins: () => (dragging = true),
        ends(changed) {
            dragging = false;
            if (changed) announce();
        },
    });
    const handles = createHandles(run, timeline, { ...commands, drag });
    const fields = createFields(run, commands);
    host.prepend(fields.element);

    timeline.onResize(() => handles.place(get()));
    listen(canvas, 'pointerdown', (event) => {
        if (event.button === 0) drag(event, canvas, binBelow(bins, timeline, event));
    });
    listen(canvas, 'dblclick', () => set(null));
    listen(canvas, 'keydown', (event) => event.key === 'Escape' && set(null));

    function describe() {
        fields.describe();
        handles.describe();
    }

    store.onChange((changed) => {
        if (!changed.has(/* @__KEY__ */ 'window')) return;
        describe();
        if (!dragging) announce();
    });
    return {
        update: describe,
        /** The cursor becomes an edge. @param {End} end */
        setEdge(end) {
            const bin = binAt(bins, timeline.cursorMs);
            const now = get() ?? whole;
            if (end === 'first') set({ first: bin, last: now.last >= bin ? now.last : whole.last });
            else set({ first: now.first <= bin ? now.first : 0, last: bin });
        },
    };
}

/** Announces what cannot be seen. @param {HTMLElement} plot @returns {(text: string) => void} */
function createStatus(plot) {
    const status = el('p', { class: 'vh', role: 'status' });
    plot.append(status);
    let timer = 0;
    return (text) => {
        clearTimeout(timer);
        timer = window.setTimeout(() => refill(status, text), REST_MS);
    };
}

/** What the window holds. @param {Store} store */
function announcement(store) {
    const { select, tabs } = store;
    const part = select.part();
    if (!part) return 'Whole run';
    const amounts = tabs.flatMap(({ metric: number, label, name }) => {
        const metric = select.metricAt(number);
        const isHeap = metric && (metric.name === 'peak' || metric.name === 'leaked');
        return isHeap ? [`${label ?? name} ${formatOf(metric.unit).short(metric.total)}`] : [];
    });
    const { from, to } = select.span();
    const highest = moment(part.peakMs - from, to - from);
    return `Window ${spanName(store)}. ${amounts.join(', ')}. The ${heapWord(store.profile)} is highest at ${highest}.`;
}
