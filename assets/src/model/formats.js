// SPDX-License-Identifier: Apache-2.0
/*
 * What is shown, in formats that other programs read: collapsed stacks, speedscope, CSV. All show what the graph shows,
 * with its window, threads, hidden frames and order; their sums are the total of the view.
 */
import { placeOf } from '../lib/text.js';
import { heaviestChildren } from './calltree.js';
import { functionName, labelOf, packageName } from './graph.js';
import { ROOT, stringAt } from './profile.js';
import { rowLine } from './rows.js';

/** @typedef {import('./graph.js').Graph} Graph */
/** @typedef {import('./calltree.js').Sums} Sums */
/** @typedef {import('./profile.js').Profile} Profile */

/** The maximum number of frames in a stack; of a longer one, the innermost are written. */
const MOST_FRAMES = 2000;

/** A name as a part of a collapsed stack. @param {string} name */
const partOf = (name) => name.replace(/;/g, ':').replace(/\s*\n\s*/g, ' ');

/**
 * With the names that other tools know. What was recorded of nameless functions is all that they have.
 * @param {Profile} profile
 */
const asRecorded = (profile) => ({ ...profile, frames: { ...profile.frames, shown: new Uint32Array(0) } });

/**
 * A line for each stack: its frames, the outermost first, and what it holds by itself.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Sums} sums
 * @param {boolean} turned  callers are below what they called
 */
export function collapsedStacks(profile, graph, { self }, turned) {
    const names = /** @type {string[]} */ ([]);
    const plain = asRecorded(profile);
    const nameOf = (/** @type {number} */ node) => (names[node] ??= partOf(labelOf(plain, graph, node).name));
    const lines = /** @type {string[]} */ ([]);
    for (let n = 0; n < graph.count; n++) {
        if (self[n] <= 0) continue;
        const path = /** @type {string[]} */ ([]);
        for (let at = n; at !== ROOT && path.length < MOST_FRAMES; at = graph.parent[at]) path.push(nameOf(at));
        if (!turned) path.reverse();
        lines.push(`${path.join(';') || partOf(profile.rootLabel)} ${self[n]}`);
    }
    return lines.join('\n') + (lines.length ? '\n' : '');
}

/** Units of speedscope, by ours. */
const UNITS = /** @type {Record<string, string>} */ ({ 'bytes': 'bytes', nanoseconds: 'nanoseconds' });

/**
 * An evented profile: each node opens where the one before it closed, so it is as large as the tree, however deep. In
 * the order of time, events have their real times.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Sums} sums
 * @param {{name: string, unit: string}} about
 */
export function speedscopeOf(profile, graph, sums, { name, unit }) {
    const { total } = sums;
    const plain = asRecorded(profile);
    const calls = 'start' in graph ? /** @type {import('./timeorder.js').TimeGraph} */ (graph) : null;
    const frames = /** @type {{'name': string, 'file'?: string, 'line'?: number}[]} */ ([]);
    const known = new Map();
    const frameOf = (/** @type {number} */ node) => {
        const label = labelOf(plain, graph, node);
        const key = `${label.name}\n${placeOf(label)}`;
        if (!known.has(key)) {
            known.set(key, frames.length);
            frames.push({
                'name': label.name,
                ...(label.file && { 'file': label.file }),
                ...(label.line && { 'line': label.line }),
            });
        }
        return known.get(key);
    };
    const events = /** @type {{'type': 'O' | 'C', 'frame': number, 'at': number}[]} */ ([]);
    const open = [{ node: ROOT, frame: -1, next: calls ? calls.start[ROOT] : 0, children: childrenOf(ROOT) }];
    const startValue = open[0].next;

    /** @param {number} node */
    function childrenOf(node) {
        if (!calls) return heaviestChildren(graph, sums, node).reverse();
        const children = /** @type {number[]} */ ([]);
        for (let child = node + 1; child < graph.end[node]; child = graph.end[child]) children.push(child);
        return children.reverse();
    }
    while (open.length) {
        const top = open[open.length - 1];
        const child = top.children.pop();
        if (child !== undefined) {
            const at = calls ? calls.start[child] : top.next;
            const frame = frameOf(child);
            events.push({ 'type': 'O', 'frame': frame, 'at': at });
            open.push({ node: child, frame, next: at, children: childrenOf(child) });
            top.next += total[child];
        } else {
            open.pop();
            if (top.node === ROOT) break;
            const above = open[open.length - 1];
            events.push({ 'type': 'C', 'frame': top.frame, 'at': calls ? calls.stop[top.node] : above.next });
        }
    }
    return JSON.stringify({
        $schema: 'https://www.speedscope.app/file-format-schema.json',
        exporter: 'profrender',
        'name': name,
        activeProfileIndex: 0,
        shared: { 'frames': frames },
        profiles: [
            {
                type: 'evented',
                'name': name,
                'unit': calls ? 'nanoseconds' : (UNITS[unit] ?? 'none'),
                startValue,
                endValue: calls ? calls.stop[ROOT] : total[ROOT],
                events,
            },
        ],
    });
}

/** A cell; a program for tables must not take it for a formula. @param {string | number} value */
function cell(value) {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/**
 * The rows of the table, exact numbers in the unit that their header names.
 * @param {Pick<Profile, 'frames' | 'strings' | 'packages'>} profile
 * @param {import('./rows.js').Rows} rows
 * @param {Uint32Array} order    which of them
 * @param {{unit: string, countName: string | null}} metric
 * @param {string[]} owners      names by number
 * @param {{metric: {title: string, unit: string}, total: Float64Array}[]} [others]  metrics, by row
 */
export function tableCsv({ frames, strings, packages }, rows, order, { unit, countName }, owners, others = []) {
    const counts = countName ? [`self ${countName}`, `total ${countName}`] : [];
    const isByPackage = rows.by === 'package';
    const names = [isByPackage ? 'package' : 'function', 'file', 'line', 'owner'];
    const header = [...names, `self (${unit})`, `total (${unit})`, ...counts].concat(
        others.map(({ metric }) => `${metric.title}, total (${metric.unit})`),
    );
    const lines = Array.from(order, (row) => {
        const f = rows.frame[row];
        return [
            isByPackage
                ? packageName({ frames, packages }, f)
                : rows.by === 'file'
                  ? ''
                  : functionName({ frames, strings }, f),
            isByPackage ? '' : stringAt(strings, frames.file[f]),
            rowLine({ frames }, rows, f) || '',
            owners[rows.owner[row]],
            rows.self[row],
            rows.total[row],
            ...(countName ? [rows.selfCount[row], rows.totalCount[row]] : []),
            ...others.map(({ total }) => total[row]),
        ];
    });
    return [header, ...lines].map((line) => line.map(cell).join(',') + '\r\n').join('');
}

/**
 * A name for a file: letters that every system accepts.
 * @param {...string} words
 */
export const fileName = (...words) =>
    words
        .join('-')
        .replace(/[^\p{L}\p{N}._-]+/gu, '-')
        .replace(/^[.-]+|[.-]+$/g, '')
        .slice(0, 80) || 'profile';
