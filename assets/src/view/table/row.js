// SPDX-License-Identifier: Apache-2.0
/* One row of the table. */
import { bar, el, figure, ownerClass, placeLink, share } from '../../dom/elements.js';
import { placeOf, shortPath } from '../../lib/text.js';
import { count, counted, formatOf } from '../../lib/units.js';
import { baseOf, functionName, nodeFor, packageName } from '../../model/graph.js';
import { shownName } from '../../model/nameless.js';
import { ROOT, stringAt } from '../../model/profile.js';
import { valueOf } from '../../model/rows.js';
import { addressOf, isOwn } from '../../model/source.js';
import { OWNER_SHORT } from '../words.js';
import { classes } from './columns.js';

/** @typedef {import('../../model/rows.js').Rows} Rows */

/** The columns that each table has: name, file, owner, self, total. */
const OWN_CELLS = 5;

/**
 * @param {import('../../store/store.js').Store} store
 * @param {Rows} rows
 * @param {number} row
 * @param {{columns: import('./columns.js').Column[], pathChars: number}} room  pathChars: for a path
 * @param {(node: number) => void} show
 */
export function drawRow(store, rows, row, { columns, pathChars }, show) {
    const { select, profile } = store;
    const { frames, strings } = profile;
    const { countName, unit } = select.metric();
    const f = rows.frame[row];
    const owner = rows.owner[row];
    const file = stringAt(strings, frames.file[f]);
    const line = rows.by === 'line' ? frames.line[f] : 0;
    const name =
        rows.by === 'package'
            ? packageName(profile, f)
            : rows.by === 'file' && file
              ? file
              : shownName(functionName(profile, f));
    const place = rows.by === 'package' ? '' : placeOf({ file, line });
    const address = isOwn(frames.kind[f]) ? addressOf(store.sources, file, line) : '';
    const { selected } = store.state;
    const node = () => nodeFor(select.graph(), baseOf(select.flat(), rows.node[row]));
    const counts = countName && counted(rows.selfCount[row], countName);
    const mean = valueOf(rows, 'mean', row);
    const button = el(
        'button',
        { title: `${name}, show in the graph`, onclick: () => show(rows.node[row]) },
        rows.by === 'file' ? shortPath(name, pathChars) : name,
    );
    const format = formatOf(unit);
    const whole = select.sums().total[ROOT];
    /** @param {import('./columns.js').Column} column */
    const number = ({ name: column, hide, other }) => {
        const cell = { class: classes('r', hide) };
        if (other) return el('td', cell, figure(formatOf(other.metric.unit), other.total[row]));
        return column === 'mean'
            ? el('td', cell, mean ? figure(format, Math.round(mean)) : '')
            : el('td', { ...cell, title: counts }, count(rows.selfCount[row]));
    };
    return el(
        'tr',
        { 'aria-selected': selected && node() === selected ? 'true' : null },
        el('th', { scope: 'row' }, button),
        el('td', { class: 'mono hide-s', title: place }, placeLink(address, shortPath(place, pathChars))),
        el('td', { class: 'hide-s' }, el('span', { class: `sw ${ownerClass(owner)}` }), OWNER_SHORT[owner]),
        ...valueCells(format, rows.self[row], whole, owner),
        ...valueCells(format, rows.total[row], whole, owner),
        ...columns.slice(OWN_CELLS).map(number),
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
