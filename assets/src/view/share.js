// SPDX-License-Identifier: Apache-2.0
/*
 * Sharing what is seen: a link to this view, a copy of this page with the view and a note in it, and the view in words,
 * as Markdown. A page on a disk or in a sandbox has no address that others could open; there the copy is the way.
 */
import { copyText } from '../dom/copy.js';
import { el, muted } from '../dom/elements.js';
import { isFragment, root } from '../dom/root.js';
import { finish } from '../lib/slices.js';
import { dateOf, placeOf } from '../lib/text.js';
import { arrow, counted, percent } from '../lib/units.js';
import { pathTo } from '../model/calltree.js';
import { changedMost } from '../model/changed.js';
import { ROOT } from '../model/profile.js';
import { weighingFunctions } from '../model/rows.js';
import { changeOf } from './change.js';
import { viewName } from './words.js';

/** @typedef {import('../store/store.js').Store} Store */

/** Functions in the Markdown. */
const MOST_LISTED = 6;

/** What the card is called. */
export const cardTitle = () => root.querySelector('h1')?.textContent?.trim() ?? 'profile';

/** The day of the run; '' = unknown. @param {Store} store */
export const dayOf = ({ profile: { startMs } }) => dateOf(startMs).slice(0, 10);

/** A fence that is longer than any in a text, and than LEAST. @param {string} text @param {number} least */
const fenceFor = (text, least) =>
    '`'.repeat(Math.max(least, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);

/** Text in a code block. @param {string} text */
function fenced(text) {
    const fence = fenceFor(text, 2);
    return `${fence}\n${text}\n${fence}`;
}

/**
 * What a frame holds, of which run: "99.2 MiB not freed (76.6 % of 130 MiB), 287 allocations, daily_sales.py,
 * 2026-11-21".
 * @param {Store} store
 * @param {number} node
 */
export function holdsLine(store, node) {
    const { select } = store;
    const { short } = select.format();
    const { total, totalCount } = select.sums();
    const { countName } = select.metric();
    const change = changeOf(store, select, node);
    const amount = change
        ? `${change.words} ${viewName(store)} (${short(change.before)} \u2192 ${short(change.after)})`
        : `${short(total[node])} ${viewName(store)} (${percent(total[node], total[ROOT])} of ${short(total[ROOT])})`;
    const count = countName && select.order() !== 'time' ? counted(totalCount[node], countName) : '';
    return [amount, count, cardTitle(), dayOf(store)].filter(Boolean).join(', ');
}

/** The stack of a frame as Markdown, the most recent call last. @param {Store} store @param {number} node */
export function stackText(store, node) {
    const { select, state } = store;
    const path = pathTo(select.graph(), node).map((n) => select.label(n));
    const lines = (state.order === 'callers' ? path.reverse() : path)
        .filter(({ extra }) => extra?.what !== 'runner')
        .map((label) => [label.name, placeOf(label)].filter(Boolean).join('  '));
    return `${holdsLine(store, node)}\n\nMost recent call last:\n\n${fenced(lines.join('\n'))}`;
}

/** Names that are text in Markdown, whatever is in them. @param {string} text */
const code = (text) => {
    const fence = fenceFor(text, 0);
    const space = fence.length > 1 ? ' ' : '';
    return `${fence}${space}${text}${space}${fence}`;
};

/** The view in words. @param {Store} store */
export function viewText(store) {
    const { select, state, profile } = store;
    const { graph, sums, label, sides } = select.plain();
    const { short } = select.format();
    const whole = sums().total[ROOT];
    const both = sides();
    const row = (/** @type {number} */ node, /** @type {string} */ amount, /** @type {string} */ share) => {
        const { name, file } = label(node);
        return `| ${code(name)} | ${file ? code(file) : ''} | ${amount} | ${share} |`;
    };
    const rows = both
        ? changedMost(profile, graph(), both, MOST_LISTED, ROOT).map(({ node, before, after }) =>
              row(node, arrow(after - before, short), `${short(before)} \u2192 ${short(after)}`),
          )
        : finish(weighingFunctions(profile, graph(), sums(), MOST_LISTED)).map(({ node, value }) =>
              row(node, short(value), percent(value, whole)),
          );
    const heads = both ? 'Largest change of self | File | Change | Amount' : 'Highest self | File | Amount | Share';
    const table = [`| ${heads} |`, '|---|---|--:|--:|', ...rows].join('\n');
    return [
        `### ${cardTitle()}`,
        holdsLine(store, ROOT),
        ...(rows.length ? [table] : []),
        ...(state.selected ? [stackText(store, state.selected)] : []),
        ...(shareable() ? [location.href] : []),
    ].join('\n\n');
}

/** Whether others can open the address of this page. */
export const shareable = () => !isFragment() && /^https?:$/.test(location.protocol);

/**
 * The page as the program wrote it, with a view and a note in it: text, at the top.
 * @param {Element} written
 * @param {Store} store
 * @param {string} note
 */
export function pageWith(written, store, note) {
    const page = /** @type {Element} */ (written.cloneNode(true));
    page.setAttribute('data-view', store.address());
    page.querySelector('.copynote')?.remove();
    const words = note.trim().split(/\n{2,}/).filter(Boolean);
    const section = el(
        'section',
        { class: 'panel copynote', 'aria-label': 'Note with this copy' },
        ...words.map((text) => el('p', {}, text)),
        el('p', {}, muted('Written by whoever saved this copy; the rest of the card is unchanged.')),
    );
    if (words.length) page.querySelector('main')?.prepend(section);
    return `<!doctype html>\n${page.outerHTML}\n`;
}

/** Whether all of the page is in one file, so that a copy of it works. @param {Element | null} written */
export const isWhole = (written) => written !== null && !written.querySelector('script[src], link[rel="stylesheet"]');

/**
 * Copies a text, and says so in the place of the button.
 * @param {HTMLElement} button
 * @param {string} text
 * @param {() => void} byHand  where the page may not copy
 */
export async function copyFrom(button, text, byHand) {
    const before = [...button.childNodes];
    if (!(await copyText(text))) {
        byHand();
        return;
    }
    button.replaceChildren('Copied');
    setTimeout(() => button.replaceChildren(...before), 1200);
}
