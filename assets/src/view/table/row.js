// SPDX-License-Identifier: Apache-2.0
/* One row of the table. */
import { bar, el, figure, placeLink, share, swatch } from '../../dom/elements.js';
import { placeOf, shortPath, suffixOf } from '../../lib/text.js';
import { count, counted, formatOf } from '../../lib/units.js';
import { baseOf, functionName, nodeFor, packageName } from '../../model/graph.js';
import { ROOT, stringAt } from '../../model/profile.js';
import { colourOf, hueName } from '../../model/hues.js';
import { rowLine, valueOf } from '../../model/rows.js';
import { addressOf, isOwn } from '../../model/source.js';
import { OWNER_SHORT, isOfObjects } from '../words.js';
import { classes, countColumn } from './columns.js';

/** @typedef {import('../../model/rows.js').Rows} Rows */

/** The columns that each table has: name, file, owner, self, total. */
const OWN_CELLS = 5;

/**
 * What is in a package.
 * @param {import('../../model/profile.js').Profile} profile
 * @param {number} n  functions
 * @param {number} files
 */
function sizeOf(profile, n, files) {
    const what = isOfObjects(profile) ? `${count(n)} classes and fields` : counted(n, 'functions');
    return files > 1 ? `${what} in ${count(files)} files` : what;
}

/**
 * @param {import('../../store/store.js').Store} store
 * @param {import('../../model/packages.js').Line} line
 * @param {{columns: import('./columns.js').Column[], pathChars: number}} room  pathChars: for a path
 * @param {(line: import('../../model/packages.js').Line) => void} act  what its button does
 */
export function drawRow(store, line, { columns, pathChars }, act) {
    const { rows, row, key, functions = 0, files = 0, isOpen } = line;
    const { select, profile } = store;
    const { frames, strings } = profile;
    const { countName, unit } = select.metric();
    const f = rows.frame[row];
    const owner = colourOf(profile, f, rows.owner[row]);
    const whose = hueName(profile, owner) || OWNER_SHORT[owner];
    const file = stringAt(strings, frames.file[f]);
    const number = rowLine(profile, rows, f);
    const name =
        rows.by === 'package'
            ? packageName(profile, f)
            : rows.by === 'file' && file
              ? file
              : functionName(profile, f);
    const place =
        rows.by === 'package'
            ? sizeOf(profile, functions, files)
            : placeOf({ file, line: number });
    const address = isOwn(frames.kind[f]) && rows.by !== 'package' ? addressOf(store.sources, file, number) : '';
    const { selected } = store.state;
    const node = () => nodeFor(select.graph(), baseOf(select.flat(), rows.node[row]));
    const many = valueOf(rows, countColumn(countName), row);
    const counts = countName && counted(many, countName);
    const mean = valueOf(rows, 'mean', row);
    const button = el(
        'button',
        {
            title: `${name}${isOpen === undefined ? ', show in the graph' : isOpen ? ': close' : ': its functions'}`,
            'aria-expanded': isOpen === undefined ? null : String(isOpen),
            onclick: () => act(line),
        },
        isOpen === undefined ? '' : `${isOpen ? '\u25be' : '\u25b8'} `,
        rows.by === 'file' ? shortPath(name, pathChars) : name,
        el('span', { class: 'only-s' }, suffixOf({ name, file, line: rows.by === 'line' ? 0 : number })),
    );
    const format = formatOf(unit);
    const whole = select.sums().total[ROOT];
    /**
     * What rows like this hold of another metric.
     * @param {NonNullable<import('./columns.js').Column['other']>} other
     */
    const totals = (other) =>
        (rows.by === 'member' ? select.members.others().find(({ tab }) => tab === other.tab) : other)?.total ?? [];
    /** @param {import('./columns.js').Column} column */
    const cellOf = ({ name: column, hide, other }) => {
        const cell = { class: classes('r', hide) };
        if (other) return el('td', cell, figure(formatOf(other.metric.unit), totals(other)[row]));
        return column === 'mean'
            ? el('td', cell, mean ? figure(format, Math.round(mean)) : '')
            : el('td', { ...cell, title: counts }, count(many));
    };
    return el(
        'tr',
        {
            'aria-selected': selected && node() === selected ? 'true' : null,
            'aria-level': isOpen === undefined ? (rows.by === 'member' ? 2 : null) : 1,
            'aria-expanded': isOpen === undefined ? null : String(isOpen),
            'data-key': key ?? null,
        },
        el('th', { scope: 'row' }, button),
        el(
            'td',
            { class: 'mono hide-s', title: place },
            placeLink(address, rows.by === 'package' ? place : shortPath(place, pathChars)),
        ),
        el('td', { class: 'hide-s', title: whose }, swatch(owner), whose),
        ...valueCells(format, rows.self[row], whole, owner),
        ...valueCells(format, rows.total[row], whole, owner),
        ...columns.slice(OWN_CELLS).map(cellOf),
    );
}

/**
 * A value with its share, and a bar.
 * @param {import('../../lib/units.js').Format} format
 * @param {number} value
 * @param {number} whole
 * @param {number} owner
 */
const valueCells = (format, value, whole, owner) => [
    el('td', { class: 'r' }, figure(format, value), ' ', el('span', { class: 'pc' }, share(format, value, whole))),
    el('td', { class: 'barc hide-m' }, bar(whole > 0 ? value / whole : 0, owner)),
];
