// SPDX-License-Identifier: Apache-2.0
/*
 * The lines of a table by package: packages, and below those that are open their functions. A search finds both; a
 * package that is there for its functions alone shows only those, and is open.
 */
import { filterRows } from './rows.js';

/**
 * @typedef {import('./rows.js').Rows} Rows
 * @typedef {import('./profile.js').Profile} Profile
 *
 * @typedef {object} Line
 * @property {Rows} rows        of packages, or of functions
 * @property {number} row
 * @property {number} [key]     of a package: its number
 * @property {number} [functions]
 * @property {number} [files]
 * @property {boolean} [isOpen]
 */

/** Rows in their order, by package. @param {Profile} profile @param {Rows} rows @param {Uint32Array} order */
export function byPackage({ frames }, rows, order) {
    const found = /** @type {Map<number, number[]>} */ (new Map());
    for (const row of order) {
        const key = frames.package[rows.frame[row]];
        const list = found.get(key);
        if (list) list.push(row);
        else found.set(key, [row]);
    }
    return found;
}

/**
 * @param {Profile} profile
 * @param {{rows: Rows, order: Uint32Array}} packages
 * @param {{rows: Rows, order: Uint32Array}} functions  as members of packages
 * @param {import('./rows.js').RowFilter} filter
 * @param {Map<number, boolean>} turned  the packages that a person opened or closed
 * @returns {Line[]}
 */
export function packageLines(profile, { rows, order }, { rows: members, order: below }, filter, turned) {
    const { frames } = profile;
    const anyText = { ...filter, name: '', file: '', query: null };
    const isOfFiles = filter.file || filter.query?.field === 'file';
    const all = byPackage(profile, members, below);
    const passing = byPackage(profile, members, filterRows(profile, members, below, anyText));
    const found = byPackage(profile, members, filterRows(profile, members, below, filter));
    const own = new Set(isOfFiles ? [] : filterRows(profile, rows, order, filter));
    return Array.from(filterRows(profile, rows, order, anyText)).flatMap((row) => {
        const key = frames.package[rows.frame[row]];
        const isOwn = own.has(row);
        const shown = (isOwn ? passing : found).get(key) ?? [];
        if (!isOwn && !shown.length) return [];
        const isOpen = turned.get(key) ?? !isOwn;
        const inside = all.get(key) ?? [];
        const files = new Set(inside.map((member) => frames.file[members.frame[member]])).size;
        const line = { rows, row, key, functions: inside.length, files, isOpen };
        return [line, ...(isOpen ? shown.map((member) => ({ rows: members, row: member })) : [])];
    });
}
