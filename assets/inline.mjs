// SPDX-License-Identifier: Apache-2.0
/* What all bundles of pages share: the dark theme is written once, and no script ends its own element. */
import { readFileSync } from 'node:fs';

const CHOSEN = ['@media screen {', ':root[data-theme="dark"], :host([data-theme="dark"])'];
const BY_SYSTEM = [
    '@media screen and (prefers-color-scheme: dark) {',
    ':root:not([data-theme="light"]), :host(:not([data-theme="light"]))',
];

/** The dark theme for whoever chose it, as dark.css has it, and the same for whoever has a dark system. */
export function darkThemes(path) {
    const chosen = readFileSync(path, 'utf8');
    if (!CHOSEN.every((text) => chosen.split(text).length === 2))
        throw new Error(`${path}: one block of ${CHOSEN.join(' ')}`);
    return { chosen, bySystem: CHOSEN.reduce((css, text, i) => css.replace(text, BY_SYSTEM[i]), chosen) };
}

/** Both, where a page has dark.css. */
export const darkTheme = {
    name: 'dark theme',
    setup: ({ onLoad }) =>
        onLoad({ filter: /[/\\]dark\.css$/ }, ({ path }) => {
            const { chosen, bySystem } = darkThemes(path);
            return { contents: bySystem + chosen, loader: 'css' };
        }),
};

/*
 * What would end or change an inline element early, and what may not be the same when the browser hashes it: the HTML
 * parser turns CR into LF and NUL into U+FFFD, and other letters depend on the encoding of the page around a srcdoc
 * frame. (esbuild escapes them in strings, not in regular expressions.)
 */
export function inlineable(text, what) {
    const bad = /<\/(?:script|style)|<!--|[\0\r]|[^\0-\x7f]/i.exec(text);
    if (bad) throw new Error(`${what}: ${JSON.stringify(bad[0])} at ${bad.index} is not allowed in an inline element`);
    return text;
}
