// SPDX-License-Identifier: Apache-2.0
/* Light and dark: as the system, until the person says otherwise. Canvases are told to take their colours anew. */
import { el, icon } from '../lib/dom.js';
import { host } from '../lib/root.js';

/**
 * @param {import('../page.js').Page} page
 * @param {{recolour: () => void}[]} canvases
 */
export function createTheme(page, canvases) {
    const made = host.dataset.theme;
    const isDark = () =>
        host.dataset.theme ? host.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    const toggle = () => page.set({ theme: isDark() ? 'light' : 'dark' });
    const button = el(
        'button',
        {
            type: 'button',
            class: 'btn icon',
            'aria-label': 'Switch between light and dark',
            title: 'Light or dark',
            onclick: toggle,
        },
        icon('theme'),
    );
    const recolour = () => canvases.forEach((canvas) => canvas.recolour());

    function update() {
        const theme = page.state.theme ?? made;
        if (theme) host.dataset.theme = theme;
        else delete host.dataset.theme;
        recolour();
    }

    page.onChange((changed) => changed.has('theme') && update());
    for (const query of ['(prefers-color-scheme: dark)', 'print'])
        matchMedia(query).addEventListener('change', recolour);
    return { button, update, toggle };
}
