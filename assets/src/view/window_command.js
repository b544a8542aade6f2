// SPDX-License-Identifier: Apache-2.0
/* The command that exports the window. */
import { knownBins } from '../model/time.js';

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement | null} window  takes "b3:b17"
 * @param {HTMLElement | null} view    takes "peak"
 */
export function followWindow(store, window, view) {
    const { history } = store.profile;
    if (!history || !window || !view) return;
    const update = () => {
        const { bins } = history;
        const whole = { first: 0, last: bins.count - 1 };
        const { first, last } = knownBins(bins, store.state.window ?? whole) ?? whole;
        window.textContent = `b${first}:b${last}`;
        view.textContent = store.select.metric().name === 'leaked' ? 'leaks' : 'peak';
    };
    store.onChange(update);
    update();
}
