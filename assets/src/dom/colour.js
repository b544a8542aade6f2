// SPDX-License-Identifier: Apache-2.0
/*
 * The design tokens as a canvas needs them: read from the stylesheet, once for each theme. A token's whole name in
 * quotes becomes its short one: see shortNames() in pieces.mjs.
 */
import { OWNER_LETTERS } from './elements.js';
import { host } from './root.js';
import { OWNERS, OWNER_SMALLER } from '../lib/owners.js';

/**
 * @typedef {object} Palette
 * @property {{fill: string[], line: string}[]} owners  by number of owner, and of a package's colour after those; fill
 *     by step of self share
 * @property {string[]} changes  fills of a difference: -3, ..., 0, ..., 3 as 0 to 6
 * @property {{less: string, lessLine: string, moreLine: string}} moves  text and lines of a difference
 * @property {{fill: string[], line: string}[]} hues  tell apart what has one owner; as `owners`
 * @property {string} mono   family of names and numbers
 * @property {string} sans
 * @property {Record<'--page' | '--surface' | '--sunken' | '--text' | '--muted' | '--border' | '--accent' | '--series' |
 *     '--series-2' | '--series-fill' | '--dim' | '--dim-line' | '--dim-text' | '--hatch' | '--suffix' | '--danger',
 *     string>} of
 */

/** @returns {Palette} */
export function readPalette() {
    const style = getComputedStyle(host);
    const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const names = /** @type {const} */ ([
        '--page',
        '--surface',
        '--sunken',
        '--text',
        '--muted',
        '--border',
        '--accent',
        '--series',
        '--series-2',
        '--series-fill',
        '--dim',
        '--dim-line',
        '--dim-text',
        '--hatch',
        '--suffix',
        '--danger',
    ]);
    const owners = [...OWNER_LETTERS.slice(0, OWNERS.length)].map((owner) => ({
        fill: [1, 2, 3].map((step) => token(`--${owner}-${step}`)),
        line: token(`--o-${owner}`),
    }));
    const hues = [1, 2, 3, 4, 5, 6].map((number) => {
        const line = token(`--hue-${number}`);
        return { fill: [0.2, 0.35, 0.5].map((share) => mixed(line, token('--surface'), share)), line };
    });
    hues.forEach((hue, i) => (owners[OWNER_SMALLER + 1 + i] = hue));
    return {
        owners,
        changes: ['--c0', '--c1', '--c2', '--sunken', '--c4', '--c5', '--c6'].map(token),
        moves: { less: token('--shrank'), lessLine: token('--shrank-mark'), moreLine: token('--grew-mark') },
        hues,
        mono: token('--mono'),
        sans: token('--font'),
        of: /** @type {Palette['of']} */ (Object.fromEntries(names.map((name) => [name, token(name)]))),
    };
}

/**
 * A share of one colour in another.
 * @param {string} ink     "#rrggbb"
 * @param {string} ground
 * @param {number} share
 */
export function mixed(ink, ground, share) {
    const part = (/** @type {number} */ i) => {
        const [top, under] = [ink, ground].map((colour) => parseInt(colour.slice(2 * i - 1, 2 * i + 1), 16));
        return Math.round(under + (top - under) * share);
    };
    return `rgb(${[1, 2, 3].map(part)})`;
}

/**
 * Step of the fill: how much of a frame's total it holds itself. Under 2 %, under 15 %, more.
 * @param {number} self
 * @param {number} total
 * @returns {0 | 1 | 2}
 */
export function selfStep(self, total) {
    const share = total > 0 ? self / total : 0;
    return share < 0.02 ? 0 : share < 0.15 ? 1 : 2;
}

/**
 * Diagonal lines, for what is folded or unknown.
 * @param {CanvasRenderingContext2D} context
 * @param {string} ground
 * @param {string} ink
 * @returns {CanvasPattern | string}
 */
export function hatch(context, ground, ink) {
    const tile = document.createElement('canvas');
    const size = 12;
    tile.width = tile.height = size;
    const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext('2d'));
    pen.fillStyle = ground;
    pen.fillRect(0, 0, size, size);
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let x = -size; x <= 2 * size; x += size / 2) {
        pen.moveTo(x, size);
        pen.lineTo(x + size, 0);
    }
    pen.stroke();
    const pattern = context.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(0.5));
    return pattern ?? ground;
}
