// SPDX-License-Identifier: Apache-2.0
/*
 * The rows of the table: frames by function, line, file or package, with sums. A function counts once for each stack
 * that it is on, however often it occurs there.
 */
import { OWNER_SMALLER, OWNER_RUNNER } from '../lib/owners.js';
import { inParts } from '../lib/slices.js';
import { ROOT, ownerOfKind, stringAt } from './profile.js';
import { groupFrames } from './groups.js';
import { Ints, pick } from './ints.js';
import { Heaviest, orderBy, rankStrings } from './order.js';
import { isMatched } from './nameless.js';
import { matchStrings } from './search.js';

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {'function' | 'line' | 'file' | 'package'} Grouping */
/** @typedef {Grouping | 'member'} RowsBy  member: a function, as a part of a package */

/**
 * @typedef {object} Rows
 * @property {number} count
 * @property {RowsBy} by
 * @property {Uint32Array} group  [row] of frames that are alike
 * @property {Uint32Array} frame  [row] a frame of the group: its function, file and owner are those of the row
 * @property {Uint8Array} owner   [row]
 * @property {Uint32Array} node   [row] the heaviest node of the group
 * @property {Float64Array} self  [row]
 * @property {Float64Array} total
 * @property {Float64Array} selfCount
 * @property {Float64Array} totalCount
 */

/**
 * The line of a row: its own, or that of a function that others have the name and the file of; 0 = none.
 * @param {Pick<Profile, 'frames'>} profile
 * @param {Pick<Rows, 'by'>} rows
 * @param {number} f
 */
export const rowLine = ({ frames }, { by }, f) =>
    by === 'line' ? frames.line[f] : by === 'function' || by === 'member' ? frames.begin[f] : 0;

/**
 * What each group of frames holds.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {RowsBy} by
 * @param {import('./exact.js').Figures | null} exact  by frame, if those of the tree are an estimate
 * @param {boolean} [calls]  counts are of calls: those of a stack are not its callers'
 */
function sumGroups(profile, graph, { self, total, selfCount, totalCount }, by, exact, calls) {
    const { frames } = profile;
    const { group, first } = groupFrames(profile, by);
    const groups = first.length;
    const counts = calls ? selfCount : totalCount;
    const all = {
        frame: new Uint32Array(groups),
        node: new Uint32Array(groups),
        heaviest: new Float64Array(groups),
        self: new Float64Array(groups),
        total: new Float64Array(groups),
        selfCount: new Float64Array(groups),
        totalCount: new Float64Array(groups),
        smaller: new Uint8Array(groups),
    };
    // How many frames of each group are on the stack, and the stack: the open subtrees above the node.
    const open = new Uint32Array(groups);
    const stack = new Uint32Array(graph.count);
    let depth = 0;
    for (let n = 1; n < graph.count; n++) {
        for (; depth > 0 && graph.end[stack[depth - 1]] <= n; depth--) open[group[graph.frame[stack[depth - 1]]]]--;
        const f = graph.frame[n];
        if (f >= frames.count) continue;
        const g = group[f];
        all.self[g] += self[n];
        all.selfCount[g] += selfCount[n];
        if (open[g]++ === 0) {
            all.total[g] += total[n];
            all.totalCount[g] += counts[n];
        }
        if (total[n] > all.heaviest[g]) {
            all.heaviest[g] = total[n];
            all.node[g] = n;
            all.frame[g] = f;
        }
        all.smaller[g] = graph.smaller[n] ? 1 : 0;
        stack[depth++] = n;
    }
    if (exact) takeExact(all, group, exact);
    return all;
}

/**
 * Groups that hold nothing have no row.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {RowsBy} by
 * @param {import('./exact.js').Figures | null} [exact]  by frame, if those of the tree are an estimate
 * @param {boolean} [calls]
 * @returns {Rows}
 */
export function makeRows(profile, graph, sums, by, exact = null, calls = false) {
    const { frames } = profile;
    const all = sumGroups(profile, graph, sums, by, exact, calls);
    const rows = new Ints();
    for (let g = 0; g < all.total.length; g++) if (all.total[g] > 0 || all.totalCount[g] > 0) rows.push(g);
    const kept = rows.view.slice();
    return {
        count: kept.length,
        by,
        group: kept,
        frame: kept.map((g) => all.frame[g]),
        node: kept.map((g) => all.node[g]),
        owner: Uint8Array.from(kept, (g) => rowOwner(frames.kind[all.frame[g]], all.smaller[g])),
        self: pick(all.self, kept),
        total: pick(all.total, kept),
        selfCount: pick(all.selfCount, kept),
        totalCount: pick(all.totalCount, kept),
    };
}

/**
 * What the same rows hold of another metric.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums  of that metric
 * @param {Rows} rows
 * @param {import('./exact.js').Figures | null} exact
 */
export const totalsOf = (profile, graph, sums, rows, exact) =>
    pick(sumGroups(profile, graph, sums, rows.by, exact).total, rows.group);

/**
 * Replaces the figures of an estimated tree with exact ones, as the program's table does. What several functions of a
 * group took together is not recorded: their total stays that of the tree.
 * @param {import('./exact.js').Figures & {frame: Uint32Array}} all  by group
 * @param {Uint32Array} group
 * @param {import('./exact.js').Figures} exact
 */
function takeExact(all, group, exact) {
    const functions = new Uint32Array(all.self.length);
    const known = Uint32Array.from(group.keys()).filter(
        (f) => exact.total[f] || exact.self[f] || exact.selfCount[f] || exact.totalCount[f],
    );
    all.self.fill(0);
    all.selfCount.fill(0);
    all.totalCount.fill(0);
    for (const f of known) {
        const g = group[f];
        all.self[g] += exact.self[f];
        all.selfCount[g] += exact.selfCount[f];
        all.totalCount[g] += exact.totalCount[f];
        // A function that is not in the tree has a row too.
        if (functions[g]++ === 0 && !all.total[g]) all.frame[g] = f;
    }
    for (const f of known) {
        const g = group[f];
        all.total[g] = functions[g] === 1 ? exact.total[f] : Math.max(all.total[g], all.self[g]);
    }
}

/** @param {number} kind  @param {number} smaller */
const rowOwner = (kind, smaller) => (smaller ? OWNER_SMALLER : ownerOfKind(kind));

/** The number of functions in a list. */
export const MOST_LISTED = 12;

/**
 * The functions that hold most, each with its heaviest node: by themselves, or with what other code does for them.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {number} most  how many
 * @param {number} [top]  only what is below this node counts
 * @param {Uint32Array} [holder]  [node] the node that it counts for; ROOT = none
 * @returns {Generator<undefined, {node: number, value: number}[]>}
 */
export function* weighingFunctions(profile, { end, frame, smaller }, { self, total }, most, top = ROOT, holder) {
    const { frames } = profile;
    const { group, first } = groupFrames(profile, 'function');
    const weight = holder ? total : self;
    const sum = new Float64Array(first.length);
    const best = new Uint32Array(first.length);
    const heaviest = new Float64Array(first.length); // its weight, next to those of the others
    yield* inParts(Math.max(1, top), end[top], (from, to) => {
        for (let n = from; n < to; n++) {
            const node = holder ? holder[n] : n;
            if (!node || frame[node] >= frames.count || smaller[node] || self[n] <= 0) continue;
            const g = group[frame[node]];
            sum[g] += self[n];
            if (best[g] && weight[node] <= heaviest[g]) continue;
            best[g] = node;
            heaviest[g] = weight[node];
        }
    });
    const list = new Heaviest(most, sum);
    for (let g = 0; g < sum.length; g++) list.put(g);
    return list.list().map((g) => ({ node: best[g], value: sum[g] }));
}

/** @typedef {'name' | 'file' | 'owner' | 'self' | 'total' | 'selfCount' | 'totalCount' | 'mean'} OwnColumn */
/** @typedef {OwnColumn | `in-${string}`} ColumnName  the latter: the total in the metric of another tab */

/**
 * Sorting needs the rank of names, which is computed once.
 * @param {Profile} profile
 */
export function makeSorter(profile) {
    /** @type {Uint32Array | null} */
    let known = null;
    const ranks = () => (known ??= rankStrings(profile.strings, stringAt));

    /** @param {Rows} rows @param {OwnColumn} column */
    function keysOf(rows, column) {
        const { frames } = profile;
        if (column !== 'name' && column !== 'file' && column !== 'mean') return figuresOf(rows, column);
        const keys = new Float64Array(rows.count);
        const byPackage = rows.by === 'package' && column !== 'mean';
        const rankOf = byPackage ? () => rankStrings(profile.packages, stringAt) : ranks;
        const rank = column === 'mean' ? new Uint32Array() : rankOf();
        for (let row = 0; row < rows.count; row++) {
            const f = rows.frame[row];
            keys[row] =
                byPackage
                    ? rank[frames.package[f]]
                    : column === 'name'
                      ? rank[frames.shown[f] || frames.function[f]]
                      : column === 'file'
                        ? rank[frames.file[f]] * 2 ** 24 + Math.min(frames.line[f], 2 ** 24 - 1)
                        : Math.round(valueOf(rows, column, row));
        }
        return keys;
    }

    /**
     * @param {Rows} rows
     * @param {OwnColumn | ArrayLike<number>} column  or a number for each row
     * @param {boolean} descending
     * @returns {Uint32Array} rows in order
     */
    return (rows, column, descending) =>
        orderBy(typeof column === 'string' ? keysOf(rows, column) : column, descending);
}

/** @param {number} sum  @param {number} count */
export const meanOf = (sum, count) => (count > 0 ? sum / count : 0);

/**
 * @typedef {object} RowFilter
 * @property {string} name    part of the function's name; '' = any
 * @property {string} file    part of the path
 * @property {number} owner   -1 = any
 * @property {boolean} runner with frames of the runner
 * @property {import('./search.js').Query | null} [query]  what is searched for
 * @property {Partial<Record<OwnColumn, number>>} least  smallest value of a column
 */

/**
 * @param {Profile} profile
 * @param {Rows} rows
 * @param {Uint32Array} order
 * @param {RowFilter} filter
 * @returns {Uint32Array} the rows of ORDER that pass
 */
export function filterRows({ frames, strings, packages }, rows, order, { name, file, owner, runner, query, least }) {
    const isByPackage = rows.by === 'package';
    const names = isByPackage ? packages : strings;
    const namesMatch = name && matchStrings(names, { field: 'function', text: name.toLowerCase() });
    const filesMatch = file && matchStrings(strings, { field: 'file', text: file.toLowerCase() });
    const ofName = query?.field === 'function';
    const found = query ? matchStrings(ofName ? names : strings, query) : null;
    const isCalled = (/** @type {Uint8Array} */ matches, /** @type {number} */ f) =>
        isByPackage ? matches[frames.package[f]] : isMatched({ frames }, matches, f);
    const limits = /** @type {[OwnColumn, number][]} */ (Object.entries(least));
    return order.filter((row) => {
        const f = rows.frame[row];
        return (
            (owner < 0 || rows.owner[row] === owner) &&
            (runner || rows.owner[row] !== OWNER_RUNNER) &&
            limits.every(([column, limit]) => valueOf(rows, column, row) >= limit) &&
            (!found || (ofName ? isCalled(found, f) : found[frames.file[f]]) > 0) &&
            (!namesMatch || isCalled(namesMatch, f) > 0) &&
            (!filesMatch || filesMatch[frames.file[f]] === 1)
        );
    });
}

/**
 * The names of columns are strings in addresses, those of properties only in the sources.
 * @param {Rows} rows
 * @param {Exclude<OwnColumn, 'name' | 'file' | 'mean'>} column
 */
function figuresOf(rows, column) {
    if (column === 'owner') return rows.owner;
    if (column === 'self') return rows.self;
    if (column === 'total') return rows.total;
    return column === 'selfCount' ? rows.selfCount : rows.totalCount;
}

/**
 * @param {Rows} rows
 * @param {OwnColumn} column  one with numbers
 * @param {number} row
 */
export function valueOf(rows, column, row) {
    if (column === 'mean') return meanOf(rows.self[row], rows.selfCount[row]);
    return column === 'name' || column === 'file' ? 0 : figuresOf(rows, column)[row];
}
