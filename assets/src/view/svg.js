// SPDX-License-Identifier: Apache-2.0
/*
 * The picture of the graph as SVG, to save and to print. Its boxes have the classes of the static picture (render/
 * payload.md), so the stylesheet colours them, on paper always light; and the theme's colours as attributes, for a
 * separate file.
 */
import { selfStep } from '../dom/colour.js';
import { OWNER_LETTERS, svg } from '../dom/elements.js';
import { fitWords, placeOf, shorten, suffixOf } from '../lib/text.js';
import { percent } from '../lib/units.js';
import { smallerName } from '../model/graph.js';
import { rowCount, shows } from '../model/layout.js';
import { chainName } from '../model/chain.js';
import { MINE, OWNER_SMALLER, isCode } from '../lib/owners.js';
import { hueName } from '../model/hues.js';
import { ROOT } from '../model/profile.js';
import { changeOf, kindOf } from './change.js';
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
    const used = new Set(Array.from(store.select.graph().parent, (_, node) => store.select.colour(node)));
    const legend = isChange
        ? [
              { fill: changes[0], name: '\u25bc shrank' },
              { fill: changes[3], name: 'unchanged' },
              { fill: changes[6], name: '\u25b2 grew' },
          ]
        : owners
              .map(({ line: fill }, i) => ({ fill, name: OWNER_NAMES[i] ?? hueName(store.profile, i) }))
              .filter((_, i) => used.has(i));
    const text = (/** @type {Record<string, string | number>} */ props, /** @type {string} */ words) =>
        svg('text', { 'font-family': sans, 'font-size': 12, fill: of['--text'], ...props }, words);
    picture.setAttribute('y', String(HEAD_PX));
    return svg(
        'svg',
        { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${all.width} ${all.height}`, ...all },
        svg('rect', { width: '100%', height: '100%', fill: of['--surface'] }),
        text({ x: 4, y: 18, 'font-size': 15, 'font-weight': 600 }, title),
        text({ x: 4, y: 37, fill: of['--muted'] }, line),
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
 * What a box says, as on the screen: a name, what follows it, and at its right end an amount.
 * @param {import('../store/store.js').Store} store
 * @param {import('../store/shown.js').Shown} shown
 * @param {import('../model/layout.js').Layout} layout
 * @param {number} box
 * @param {import('./change.js').Change | null} moved
 */
function wordsIn({ select }, shown, { node, last, value, smaller }, box, moved) {
    const label = shown.label(node[box]);
    const share = percent(value[box], shown.held().total[ROOT]);
    const format = select.format();
    const words = {
        name: label.name,
        suffix: isCode(shown.colour(node[box])) ? suffixOf(label) : '',
        value: moved ? moved.words : format.short(value[box]),
        share: moved ? moved.kind : share,
        place: placeOf(label),
        exact: `${format.exact(value[box])}, ${share}`,
        ...chainName(shown, node[box], last[box]),
    };
    return smaller[box] ? { ...words, name: smallerName(smaller[box]), suffix: '', share: '', place: '' } : words;
}

/** A line of text in the row of a box. @param {Record<string, string | number>} props @param {string} words */
const line = (props, words) => svg('text', { y: 15, ...props }, words.replace(/ /g, '\xa0'));

/**
 * The line at the foot of a box: whose code it is, or in a difference what was on both sides and then what moved.
 * @param {number} owner
 * @param {import('./change.js').Change | null} moved
 * @param {import('../dom/colour.js').Palette} palette
 */
function footOf(owner, moved, { of, owners, moves }) {
    const foot = (/** @type {Record<string, string | number>} */ props) =>
        svg('rect', { y: ROW_PX - 3, width: '100%', height: 2, ...props });
    const letter = `o-${OWNER_LETTERS[moved ? OWNER_SMALLER : owner]}`;
    const all = foot({ class: letter, fill: !moved && isCode(owner) ? owners[owner].line : of['--dim-line'] });
    if (!moved) return [all];
    const { before, after } = moved;
    const kept = 100 * (Math.min(before, after) / Math.max(before, after, 1));
    const fill = after > before ? moves.moreLine : moves.lessLine;
    return [all, foot({ class: kindOf(after - before), x: `${kept}%`, width: `${100 - kept}%`, fill })];
}

/**
 * @param {import('../store/store.js').Store} store
 * @param {import('../store/shown.js').Shown} shown
 * @param {import('../model/layout.js').Layout} layout
 * @param {number} box
 * @param {import('../dom/colour.js').Palette} palette
 * @param {number} y
 */
function drawBox(store, shown, layout, box, palette, y) {
    const { of, owners, changes } = palette;
    const node = layout.node[box];
    const { self, total } = shown.held();
    const isSmaller = layout.smaller[box] > 0;
    const owner = isSmaller ? OWNER_SMALLER : shown.colour(node);
    const step = selfStep(self[node], total[node]);
    const moved = isSmaller ? null : changeOf(store, shown, node);
    const change = isCode(owner) && moved ? moved.step + 3 : null;
    const kind = isCode(owner) ? `${OWNER_LETTERS[owner]}${step + 1}` : isSmaller ? 'f' : 'r';
    const fill = change !== null ? changes[change] : isCode(owner) ? owners[owner].fill[step] : of['--sunken'];
    const words = wordsIn(store, shown, layout, box, moved);
    const wide = Math.max(1, layout.width[box]);
    const room = Math.floor((wide - PAD_PX) / CHAR_PX);
    const { whole, more, right } = fitWords(words, room);
    const height = ROW_PX - 1;
    const ink = { fill: of['--text'] };
    const bold = owner === MINE ? { ...ink, 'font-weight': 600 } : ink;
    const isSelected = !isSmaller && shows(layout, box, store.state.selected);
    const ring = { x: 1, y: 1, width: Math.max(0, wide - 2), height: height - 2, 'stroke-width': 2 };
    return svg(
        'svg',
        {
            class: change !== null ? `c${change}` : kind,
            x: layout.left[box].toFixed(2),
            y,
            width: wide.toFixed(2),
            height,
        },
        svg('title', {}, `${[words.name, words.place].filter(Boolean).join(', ')}\n${words.exact}`),
        svg('rect', { width: '100%', height, fill, stroke: of['--surface'] }),
        ...footOf(owner, moved, palette),
        ...(room >= 3 ? [line({ x: 4, ...bold }, shorten(whole, room))] : []),
        ...(more ? [line({ x: 4 + whole.length * CHAR_PX, fill: of['--suffix'] }, more)] : []),
        ...(right ? [line({ x: wide - 5, 'text-anchor': 'end', ...ink }, right)] : []),
        ...(isSelected ? [svg('rect', { class: 'chosen', fill: 'none', stroke: of['--accent'], ...ring })] : []),
    );
}
