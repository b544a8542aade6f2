// SPDX-License-Identifier: Apache-2.0
/* Text on the canvas, which no checker of pages can see: its contrast with each fill, from the tokens themselves. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const ENOUGH = 4.5; // WCAG 2.1, 1.4.3
const ENOUGH_FOR_LINES = 3; // 1.4.11
const MOST_HUE = 0.5; // the fullest fill of dom/colour.js
const css = (name) => readFileSync(new URL(`../../../assets/src/css/${name}`, import.meta.url), 'utf8');
const tokensOf = (text) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((found) => found.slice(1)));
const light = tokensOf(css('tokens.css'));
const THEMES = { light, dark: { ...light, ...tokensOf(css('dark.css')) } };

/** As dom/colour.js mixes them. @param {number} share */
const mixed = (ink, ground, share) =>
    '#' +
    [1, 3, 5]
        .map((at) => [ink, ground].map((colour) => parseInt(colour.slice(at, at + 2), 16)))
        .map(([top, under]) => Math.round(under + (top - under) * share).toString(16).padStart(2, '0'))
        .join('');

/** Relative luminance of "#rrggbb". */
function luminance(colour) {
    const [r, g, b] = [1, 3, 5]
        .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
    const [more, less] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (more + 0.05) / (less + 0.05);
}

const OWNERS = [...'mlsnk'].flatMap((letter) => [1, 2, 3].map((step) => `${letter}-${step}`));
const CHANGES = ['c0', 'c1', 'c2', 'c4', 'c5', 'c6', 'sunken'];
const TEXTS = [
    ['text', [...OWNERS, ...CHANGES, 'surface', 'dim']],
    ['suffix', OWNERS], // what follows a name
    ['muted', ['sunken', 'surface']],
    ['dim-text', ['dim']],
    ['grew', ['surface', 'sunken', 'page', 'hover']],
    ['shrank', ['surface', 'sunken', 'page', 'hover']],
];

test('no token is defined twice in one theme', () => {
    for (const file of ['tokens.css', 'dark.css']) {
        const names = [...css(file).matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
        assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
    }
});

for (const [theme, tokens] of Object.entries(THEMES)) {
    for (const [ink, fills] of TEXTS)
        test(`--${ink} can be read on every fill, ${theme}`, () => {
            for (const fill of fills) {
                const ratio = contrast(tokens[ink], tokens[fill]);
                assert.ok(ratio >= ENOUGH, `--${ink} on --${fill}: ${ratio.toFixed(2)}`);
            }
        });

    test(`text can be read on the colours of packages, ${theme}`, () => {
        for (const hue of [1, 2, 3, 4, 5, 6])
            for (const ink of ['text', 'suffix']) {
                const fill = mixed(tokens[`hue-${hue}`], tokens.surface, MOST_HUE);
                assert.ok(contrast(tokens[ink], fill) >= ENOUGH, `--${ink} on --hue-${hue}`);
                assert.ok(contrast(tokens[`hue-${hue}`], tokens.surface) >= ENOUGH_FOR_LINES, `--hue-${hue}`);
            }
    });

    test(`a change has colours that no owner has, ${theme}`, () => {
        const owners = new Set(OWNERS.map((name) => tokens[name]));
        for (const name of CHANGES.slice(0, -1)) assert.ok(!owners.has(tokens[name]), name);
    });
}
