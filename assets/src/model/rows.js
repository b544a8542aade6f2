// SPDX-License-Identifier: Apache-2.0
/*
 * The rows of the table: frames grouped by function, line or module, with sums. A function counts once for each stack
 * that it is on, however often it is on it.
 */
import { OWNER_SMALLER, OWNER_RUNNER, frameOwner, isRunner, stringAt } from './profile.js';
import { orderBy, rankStrings } from './order.js';

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {'function' | 'line' | 'module'} Grouping */

/**
 * @typedef {object} Rows
 * @property {number} count
 * @property {Grouping} by
 * @property {Uint32Array} frame  [row] a frame of the group: its function, file and owner are those of the row
 * @property {Uint8Array} owner   [row]
 * @property {Uint32Array} node   [row] the heaviest node of the group
 * @property {Float64Array} self  [row]
 * @property {Float64Array} total
 * @property {Float64Array} selfCount
 * @property {Float64Array} totalCount
 */

/**
 * Which group each frame is in.
 * @param {Profile} profile
 * @param {Grouping} by
 * @returns {Uint32Array} [frame]
 */
function groupFrames({ frames, strings }, by) {
    const group = new Uint32Array(frames.count);
    const known = new Map();
    const names = strings.at.length;
    for (let f = 0; f < frames.count; f++) {
        const place =
            by === 'module'
                ? frames.file[f] || frames.function[f] + names
                : frames.file[f] * names + frames.function[f];
        const key = by === 'line' ? `${place}:${frames.line[f]}` : place;
        if (!known.has(key)) known.set(key, known.size);
        group[f] = known.get(key);
    }
    return group;
}

/**
 * Groups that hold nothing have no row.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {Grouping} by
 * @param {import('./exact.js').Figures | null} [exact]  by frame, where those of the tree are an estimate
 * @returns {Rows}
 */
export function makeRows(profile, graph, sums, by, exact = null) {
    const { frames } = profile;
    const group = groupFrames(profile, by);
    const groups = group.reduce((most, g) => Math.max(most, g + 1), 0);
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
        all.self[g] += sums.self[n];
        all.selfCount[g] += sums.selfCount[n];
        if (open[g]++ === 0) {
            all.total[g] += sums.total[n];
            all.totalCount[g] += sums.totalCount[n];
        }
        if (sums.total[n] > all.heaviest[g]) {
            all.heaviest[g] = sums.total[n];
            all.node[g] = n;
            all.frame[g] = f;
        }
        all.smaller[g] = graph.smaller[n] ? 1 : 0;
        stack[depth++] = n;
    }
    if (exact) takeExact(all, group, exact);
    const kept = Uint32Array.from(all.total.keys()).filter((g) => all.total[g] > 0 || all.totalCount[g] > 0);
    const pick = (/** @type {Float64Array} */ column) => Float64Array.from(kept, (g) => column[g]);
    return {
        count: kept.length,
        by,
        frame: kept.map((g) => all.frame[g]),
        node: kept.map((g) => all.node[g]),
        owner: Uint8Array.from(kept, (g) => rowOwner(frames.kind[all.frame[g]], all.smaller[g])),
        self: pick(all.self),
        total: pick(all.total),
        selfCount: pick(all.selfCount),
        totalCount: pick(all.totalCount),
    };
}

/**
 * Puts exact figures in the place of those of an estimated tree. What several functions of a group took together is not
 * recorded: their total stays that of the tree.
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
    for (const f of known) {
        const g = group[f];
        all.self[g] += exact.self[f];
        all.selfCount[g] += exact.selfCount[f];
        // A function that is nowhere in the tree has a row too.
        if (functions[g]++ === 0 && !all.total[g]) all.frame[g] = f;
    }
    for (const f of known.filter((one) => functions[group[one]] === 1)) {
        all.total[group[f]] = exact.total[f];
        all.totalCount[group[f]] = exact.totalCount[f];
    }
}

/** @param {number} kind  @param {number} smaller */
const rowOwner = (kind, smaller) => (smaller ? OWNER_SMALLER : isRunner(kind) ? OWNER_RUNNER : frameOwner(kind));

/**
 * The functions that hold most by themselves, each with the node where it holds most of it.
 * @param {Profile} profile
 * @param {import('./graph.js').Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @param {number} most  how many
 * @returns {{node: number, self: number}[]}
 */
export function heaviestFunctions(profile, { count, frame, smaller }, { self }, most) {
    const { frames } = profile;
    const group = groupFrames(profile, 'function');
    const sum = new Float64Array(frames.count);
    const best = new Uint32Array(frames.count);
    for (let n = 1; n < count; n++) {
        if (frame[n] >= frames.count || smaller[n] || self[n] <= 0) continue;
        const g = group[frame[n]];
        sum[g] += self[n];
        if (best[g] === 0 || self[n] > self[best[g]]) best[g] = n;
    }
    return Array.from(orderBy(sum, true).subarray(0, most))
        .filter((g) => sum[g] > 0)
        .map((g) => ({ node: best[g], self: sum[g] }));
}

/** @typedef {'name' | 'file' | 'owner' | 'self' | 'total' | 'selfCount' | 'totalCount' | 'mean'} ColumnName */

/**
 * Sorting needs the rank of names, which is computed once.
 * @param {Profile} profile
 */
export function makeSorter(profile) {
    /** @type {Uint32Array | null} */
    let rank = null;

    /**
     * @param {Rows} rows
     * @param {ColumnName} column
     * @param {boolean} descending
     * @returns {Uint32Array} rows in order
     */
    return (rows, column, descending) => {
        const { frames, strings } = profile;
        const ranks = (rank ??= rankStrings(strings, stringAt));
        const keys =
            column === 'name'
                ? rows.frame.map((f) => ranks[frames.function[f]])
                : column === 'file'
                  ? Float64Array.from(
                        rows.frame,
                        (f) => ranks[frames.file[f]] * 2 ** 24 + Math.min(frames.line[f], 2 ** 24 - 1),
                    )
                  : column === 'mean'
                    ? Float64Array.from(rows.self, (self, i) => Math.round(meanOf(self, rows.selfCount[i])))
                    : rows[column];
        return orderBy(keys, descending);
    };
}

/** @param {number} sum  @param {number} count */
export const meanOf = (sum, count) => (count > 0 ? sum / count : 0);

/**
 * @typedef {object} RowFilter
 * @property {string} name    part of the function's name; '' = any
 * @property {string} file    part of the path
 * @property {number} owner   -1 = any
 * @property {boolean} runner with frames of the runner
 * @property {Partial<Record<ColumnName, number>>} least  smallest value of a column
 */

/**
 * @param {Profile} profile
 * @param {Rows} rows
 * @param {Uint32Array} order
 * @param {RowFilter} filter
 * @returns {Uint32Array} the rows of ORDER that pass
 */
export function filterRows({ frames, strings }, rows, order, { name, file, owner, runner, least }) {
    const inName = name.toLowerCase();
    const inFile = file.toLowerCase();
    const limits = /** @type {[ColumnName, number][]} */ (Object.entries(least));
    return order.filter((row) => {
        const f = rows.frame[row];
        return (
            (owner < 0 || rows.owner[row] === owner) &&
            (runner || rows.owner[row] !== OWNER_RUNNER) &&
            limits.every(([column, limit]) => valueOf(rows, column, row) >= limit) &&
            (!inName || stringAt(strings, frames.function[f]).toLowerCase().includes(inName)) &&
            (!inFile || stringAt(strings, frames.file[f]).toLowerCase().includes(inFile))
        );
    });
}

/**
 * @param {Rows} rows
 * @param {ColumnName} column  one with numbers
 * @param {number} row
 */
export function valueOf(rows, column, row) {
    if (column === 'mean') return meanOf(rows.self[row], rows.selfCount[row]);
    return column === 'name' || column === 'file' ? 0 : rows[column][row];
}
