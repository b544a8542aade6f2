// SPDX-License-Identifier: Apache-2.0
/* For cards with a timeline: its lanes, and the window on them where the profile has times. */
import { root } from '../dom/root.js';
import { parts } from '../parts.js';
import { createTimeline } from '../view/timeline.js';
import { followWindow } from '../view/window_command.js';
import { createWindow } from '../view/window/window.js';

parts.time = (store, mount) => {
    followWindow(store, mount('command-window'), mount('command-view'));
    // What is said of samples below the graph has no business below allocations.
    const showAsides = () =>
        root.querySelectorAll('.aside').forEach((aside) => {
            /** @type {HTMLElement} */ (aside).hidden = store.select.metric().unit !== 'nanoseconds';
        });
    store.onChange(showAsides);
    showAsides();
    const lanes = mount('timeline');
    const jumps = mount('jumps');
    if (!lanes || !store.profile.series.length) return {};
    const timeline = createTimeline(store, lanes, jumps, parts.phases ?? null, parts.resident);
    return { timeline, part: jumps && store.profile.history ? createWindow(store, timeline, jumps) : null };
};
