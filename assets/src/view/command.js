// SPDX-License-Identifier: Apache-2.0
/* The command that shows the same in a terminal: it follows the window and the view. */

/**
 * @param {import('../store/store.js').Store} store
 * @param {HTMLElement | null} window  takes "b3:b17"
 * @param {HTMLElement | null} view    takes "peak"
 */
export function followWindow(store, window, view) {
    const { history } = store.profile;
    if (!history || !window || !view) return;
    const update = () => {
        const { first, last } = store.state.window ?? { first: 0, last: history.bins.count - 1 };
        window.textContent = `b${first}:b${last}`;
        view.textContent = store.select.metric().name === 'leaked' ? 'leaks' : 'peak';
    };
    store.onChange(update);
    update();
}
