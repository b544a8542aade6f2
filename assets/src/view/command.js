// SPDX-License-Identifier: Apache-2.0
/* The command that says the same in a terminal: it follows the window and the view. */

/**
 * @param {import('../store/page.js').Page} page
 * @param {HTMLElement | null} window  takes "b3:b17"
 * @param {HTMLElement | null} view    takes "peak"
 */
export function followWindow(page, window, view) {
    const { history } = page.profile;
    if (!history || !window || !view) return;
    const update = () => {
        const { first, last } = page.state.window ?? { first: 0, last: history.bins.count - 1 };
        window.textContent = `b${first}:b${last}`;
        view.textContent = page.metric.name === 'leaked' ? 'leaks' : 'peak';
    };
    page.onChange(update);
    update();
}
