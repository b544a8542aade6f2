// SPDX-License-Identifier: Apache-2.0
/*
 * The picture of the graph as SVG, to save and to print. Its boxes have the classes of the static picture (render/
 * payload.md), so the stylesheet colours them, on paper always light; and the theme's colours as attributes, for a
 * separate file.
 */
import { selfStep } from '../dom/colour.js';
import { OWNER_LETTERS, svg } from '../dom/elements.js';
import { placeOf, shorten, suffixOf } from '../lib/text.js';
import { percent } from '../lib/units.js';
import { smallerName } from '../model/graph.js';
import { rowCount } from '../model/layout.js';
import { chainName } from '../model/chain.js';
import { OWNERS, OWNER_SMALLER } from '../lib/owners.js';
import { ROOT } from '../model/profile.js';
import { changeOf } from './change.js';
import { ROW_PX } from './flamegraph/painter.js';
import { OWNER_NAMES } from './words.js';

/**
 * @typedef {object} Part
 * @property {import('../store/shown.js').Shown} shown
 * @property {import('../model/layout.js').Layout} layout
 * @property {boolean} isUpward
 * @property {number} hiddenRows
 */

/** Deeper rows are left out: no picture has room for them. */
const MOST_ROWS = 500;
/** Width of a character of the font for names, and what a box keeps free next to them. */
const CHAR_PX = 7.25;
const PAD_PX = 8;

/**
 * @param {import('../store/store.js').Store} store
 * @param {Part[]} parts  from the top down
 * @param {import('../dom/colour.js').Palette} palette
 */
export function drawSvg(store, parts, palette) {
    const rows = parts.map((part) => Math.max(0, Math.min(MOST_ROWS, rowCount(part.layout) - part.hiddenRows)));
    const width = parts[0].layout.width[0] ?? 0;
    const height = rows.reduce((sum, count) => sum + count, 0) * ROW_PX;
    const picture = svg('svg', {
        xmlns: 'http://www.w3.org/2000/svg',
        class: 'ice',
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        'font-family': 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
        'font-size': 12,
    });
    let top = 0;
    parts.forEach((part, i) => {
        drawPart(store, part, palette, picture, top, rows[i]);
        top += rows[i] * ROW_PX;
    });
    return picture;
}

/** Room above and below the picture, and between what is written there. */
const HEAD_PX = 48;
const FOOT_PX = 26;
const LEGEND_PX = 130;

/**
 * The picture as a file of its own: what it shows, of which run, and what its colours mean.
 * @param {import('../store/store.js').Store} store
 * @param {Element} picture
 * @param {import('../dom/colour.js').Palette} palette
 * @param {string[]} lines  title and subtitle
 */
export function withCaption(store, picture, { of, owners, changes, sans }, [title, line]) {
    const [width, height] = ['width', 'height'].map((name) => Number(picture.getAttribute(name)));
    const all = { width, height: height + HEAD_PX + FOOT_PX };
    const isChange = store.select.baseMetric() !== null && store.state.side === 'change';
    const used = new Set(Array.from(store.select.graph().parent, (_, node) => store.select.owner(node)));
    const legend = isChange
        ? [
              { fill: changes[0], name: '\u25bc shrank' },
              { fill: changes[3], name: 'unchanged' },
              { fill: changes[6], name: '\u25b2 grew' },
          ]
        : owners.map(({ line: fill }, i) => ({ fill, name: OWNER_NAMES[i] })).filter((_, i) => used.has(i));
    const text = (/** @type {Record<string, string | number>} */ props, /** @type {string} */ words) =>
        svg('text', { 'font-family': sans, 'font-size': 12, fill: of.text, ...props }, words);
    picture.setAttribute('y', String(HEAD_PX));
    return svg(
        'svg',
        { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${all.width} ${all.height}`, ...all },
        svg('rect', { width: '100%', height: '100%', fill: of.surface }),
        text({ x: 4, y: 18, 'font-size': 15, 'font-weight': 600 }, title),
        text({ x: 4, y: 37, fill: of.muted }, line),
        picture,
        ...legend.flatMap(({ fill, name }, i) => [
            svg('rect', { x: 4 + i * LEGEND_PX, y: height + HEAD_PX + 9, width: 10, height: 10, fill }),
            text({ x: 20 + i * LEGEND_PX, y: height + HEAD_PX + 18 }, name),
        ]),
    );
}

/**
 * @param {import('../store/store.js').Store} store
 * @param {Part} part
 * @param {import('../dom/colour.js').Palette} palette
 * @param {Element} picture
 * @param {number} top
 * @param {number} rows  from the root; the others are left out
 */
function drawPart(store, { shown, layout, isUpward, hiddenRows }, palette, picture, top, rows) {
    for (let row = 0; row < rows; row++) {
        const y = top + (isUpward ? rows - 1 - row : row) * ROW_PX;
        for (let box = layout.rowStart[row + hiddenRows]; box < layout.rowStart[row + hiddenRows + 1]; box++)
            picture.append(drawBox(store, shown, layout, box, palette, y));
    }
}

/**
 * @param {import('../store/store.js').Store} store
 * @param {import('../store/shown.js').Shown} shown
 * @param {import('../model/layout.js').Layout} layout
 * @param {number} box
 * @param {import('../dom/colour.js').Palette} palette
 * @param {number} y
 */
function drawBox(store, shown, layout, box, { of, owners, changes }, y) {
    const node = layout.node[box];
    const { self, total } = shown.held();
    const label = shown.label(node);
    const owner = layout.smaller[box] ? OWNER_SMALLER : shown.owner(node);
    const step = selfStep(self[node], total[node]);
    const isCode = owner < OWNERS.length;
    const moved = isCode ? changeOf(store, shown, node) : null;
    const change = moved && moved.step + 3;
    const kind = isCode ? `${OWNER_LETTERS[owner]}${step + 1}` : layout.smaller[box] ? 'f' : 'r';
    const fill = change !== null ? changes[change] : isCode ? owners[owner].fill[step] : of.sunken;
    const chained = layout.smaller[box] ? null : chainName(shown, node, layout.last[box]);
    const plain = chained ? chained.name + chained.suffix : label.name;
    const name = layout.smaller[box] ? smallerName(layout.smaller[box]) : plain;
    const format = store.select.format();
    const value = moved ? moved.words : format.short(layout.value[box]);
    const wide = Math.max(1, layout.width[box]);
    const room = Math.floor((wide - PAD_PX) / CHAR_PX);
    const height = ROW_PX - 1;
    const texts = /** @type {Node[]} */ ([]);
    const suffix = isCode ? suffixOf(label) : '';
    const more = name.length + suffix.length <= room ? suffix : '';
    const weight = OWNERS[owner] === 'mine' ? { 'font-weight': 600 } : {};
    if (room >= 3) texts.push(svg('text', { x: 4, y: 15, fill: of.text, ...weight }, shorten(name, room)));
    if (more) texts.push(svg('text', { x: 4 + name.length * CHAR_PX, y: 15, fill: of.suffix }, more));
    if (name.length + more.length + value.length + 2 <= room)
        texts.push(svg('text', { x: wide - 5, y: 15, fill: of.text, 'text-anchor': 'end' }, value));
    const share = percent(layout.value[box], total[ROOT]);
    const title = [name, layout.smaller[box] ? '' : placeOf(label)].filter(Boolean).join(', ');
    return svg(
        'svg',
        {
            class: change !== null ? `c${change}` : kind,
            x: layout.left[box].toFixed(2),
            y,
            width: wide.toFixed(2),
            height,
        },
        svg('title', {}, `${title}\n${format.exact(layout.value[box])}, ${share}`),
        svg('rect', { width: '100%', height, fill, stroke: of.surface }),
        svg('rect', {
            class: `o-${OWNER_LETTERS[owner]}`,
            y: height - 2,
            width: '100%',
            height: 2,
            fill: isCode ? owners[owner].line : of['dim-line'],
        }),
        ...texts,
    );
}
