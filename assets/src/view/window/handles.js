// SPDX-License-Identifier: Apache-2.0
/* Handles at the edges of the window: dragged, or moved by keys. */
import { el, listen } from '../../dom/elements.js';
import { timesOf } from '../../model/time.js';
import { ENDS } from './run.js';

/** @typedef {import('./run.js').Window} Window */
/** @typedef {import('./run.js').End} End */

/** The number of Page Up or Page Down presses that cross the whole run. */
const PAGES = 10;

/**
 * @param {import('./run.js').Run} run
 * @param {import('../timeline.js').Timeline} timeline
 * @param {import('./fields.js').Commands & {drag: import('./drag.js').Drag}} commands
 */
export function createHandles({ bins, whole, textsOf }, timeline, { get, reset, moveEdge, drag }) {
    const far = Math.ceil(bins.count / PAGES);
    const steps = /** @type {Record<string, number>} */ ({
        ArrowRight: 1,
        ArrowUp: 1,
        ArrowLeft: -1,
        ArrowDown: -1,
        PageUp: far,
        PageDown: -far,
        Home: -bins.count,
        End: bins.count,
    });
    const handles = { first: createHandle('Window start', 'first'), last: createHandle('Window end', 'last') };
    timeline.plot.append(handles.first, handles.last);

    /** @param {string} label @param {End} end */
    function createHandle(label, end) {
        const handle = el('div', {
            class: `handle ${end}`,
            role: 'slider',
            tabindex: '0',
            hidden: true,
            'aria-label': label,
            'aria-orientation': 'horizontal',
            'aria-valuemin': 0,
            'aria-valuemax': whole.last,
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
                if (event.key === 'Escape') reset();
                else if (event.key in steps) moveEdge(end, steps[event.key]);
                else return;
                event.preventDefault();
            },
        });
        listen(handle, 'pointerdown', (event) => {
            const chosen = get();
            if (chosen && event.button === 0) drag(event, handle, chosen[end === 'first' ? 'last' : 'first']);
        });
        return handle;
    }

    /** @param {Window | null} chosen */
    function place(chosen) {
        for (const end of ENDS) handles[end].hidden = !chosen;
        if (!chosen) return;
        const { from, to } = timesOf(bins, chosen);
        for (const end of ENDS) handles[end].style.height = `${timeline.lanesHeight}px`;
        handles.first.hidden = !timeline.isShown(from);
        handles.last.hidden = !timeline.isShown(to);
        handles.first.style.left = `${timeline.xOf(from)}px`;
        handles.last.style.left = `${timeline.xOf(to)}px`;
    }

    return {
        place,
        describe() {
            const chosen = get() ?? whole;
            const texts = textsOf(chosen);
            for (const end of ENDS) {
                handles[end].setAttribute('aria-valuenow', String(chosen[end]));
                handles[end].setAttribute('aria-valuetext', texts[end]);
            }
            place(get());
        },
    };
}
