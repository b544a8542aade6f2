// SPDX-License-Identifier: Apache-2.0
/* Light and dark: like the system, until the person says otherwise. Canvases then reread their colours. */
import { listen } from '../dom/elements.js';
import { host } from '../dom/root.js';
import { isDark, themeButton } from '../dom/theme.js';

/**
 * @param {import('../store/store.js').Store} store
 * @param {{recolour: () => void}[]} canvases
 */
export function createTheme(store, canvases) {
    const made = host.dataset.theme;
    const toggle = () => store.set({ theme: isDark(host) ? 'light' : 'dark' });
    const button = themeButton(toggle);
    const recolour = () => canvases.forEach((canvas) => canvas.recolour());

    function update() {
        const theme = store.state.theme ?? made;
        if (theme) host.dataset.theme = theme;
        else delete host.dataset.theme;
        recolour();
    }

    store.onChange((changed) => changed.has('theme') && update());
    for (const query of ['(prefers-color-scheme: dark)', 'print'])
        listen(matchMedia(query), 'change', recolour);
    return { button, update, toggle };
}
