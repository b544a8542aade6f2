// SPDX-License-Identifier: Apache-2.0
/* Light and dark: like the system, until the person says otherwise. Canvases then reread their colours. */
import { listen } from '../dom/elements.js';
import { host, root } from '../dom/root.js';
import { isDark, themeButton } from '../dom/theme.js';

const BY_SYSTEM = '(prefers-color-scheme: dark)';
/* Colours that the reader's system forces on all pages; those of the canvases then fit them only by its own theme. */
const forced = matchMedia('(forced-colors: active)');

/**
 * The dark theme, which is in the page once, for a dark system, or for every screen where the program made it dark. A
 * file next to the page also has it for whoever chose it, and cannot be read from a disk.
 */
function darkRule() {
    try {
        const rules = [...root.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
        return rules.find((rule) => rule instanceof CSSMediaRule && rule.media.mediaText.includes(BY_SYSTEM));
    } catch {
        return null;
    }
}

/**
 * The theme is the page's from here on, so that what is made later is made in its colours.
 * @param {import('../store/store.js').Store} store
 * @param {() => ({recolour: () => void} | null | undefined)[]} canvases
 */
export function createTheme(store, canvases) {
    const made = host.dataset['theme'];
    const rule = /** @type {CSSMediaRule | null} */ (darkRule());
    /** Away from the usual theme, and back to it: from then on the card follows the system again. */
    function toggle() {
        const dark = isDark(host);
        const isUsual = dark === isDark({ dataset: { 'theme': made } });
        store.set({ theme: isUsual ? (dark ? 'light' : 'dark') : null });
    }
    const button = themeButton(toggle);
    const recolour = () => canvases().forEach((canvas) => canvas?.recolour());

    function choose() {
        const theme = forced.matches ? '' : (store.state.theme ?? made);
        button.hidden = forced.matches;
        if (theme) host.dataset['theme'] = theme;
        else delete host.dataset['theme'];
        if (rule) rule.media.mediaText = `screen${theme === 'dark' ? '' : ` and ${BY_SYSTEM}`}`;
    }
    function update() {
        choose();
        recolour();
    }
    choose();

    store.onChange((changed) => changed.has(/* @__KEY__ */ 'theme') && update());
    for (const query of [BY_SYSTEM, 'print'])
        listen(matchMedia(query), 'change', recolour);
    listen(forced, 'change', update);
    return { button, toggle };
}
