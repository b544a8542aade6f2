// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs turned around, from one function's side: who calls, and what is called, over all paths.
 *
 * `turnOver` reads stacks from their inner end: below the root are the frames that hold something by themselves (or one
 * requested function), below each its callers. `below` takes one function out of the tree with all that it calls. Both
 * keep what every fact holds, and a function that calls itself counts once for each stack.
 */
import { finish, inParts } from '../lib/slices.js';
import { Ints, pick } from './ints.js';
import { ROOT, depthsOf, subtreeEnds } from './profile.js';

/** @typedef {import('./graph.js').Graph} Graph */

/** The maximum number of callers followed in all; stacks too deep for that end in "callers further up". */
const MOST_STEPS = 4_000_000;

/** The number of nodes made in one go. */
const STEPS_AT_ONCE = 20_000;

/** @type {import('./graph.js').Extra} */
const FURTHER_UP = { what: 'further', label: 'callers further up', frames: 1 };

/**
 * For each node the one its stack is read from: itself.
 * @param {Graph} graph
 */
export const everyNode = ({ count }) => new Uint32Array(count).map((_, n) => n);

/**
 * For each node the outermost one above it, or itself, that shows one of the wanted frames; ROOT = none.
 * @param {Graph} graph
 * @param {(frame: number) => boolean} isWanted
 * @returns {Generator<undefined, Uint32Array>} [node]
 */
export function* findingOutermost({ count, parent, frame, smaller }, isWanted) {
    const found = new Uint32Array(count);
    yield* inParts(ROOT + 1, count, (from, to) => {
        for (let n = from; n < to; n++)
            found[n] = found[parent[n]] || (!smaller[n] && isWanted(frame[n]) ? n : ROOT);
    });
    return found;
}

/** All of it at once. @param {Parameters<typeof findingOutermost>} of */
export const outermost = (...of) => finish(findingOutermost(...of));

/**
 * The graph whose first row is the nodes of ENTRY and whose further rows are their callers. Threads of a graph that is
 * split by them stay below the root. What has no entry stays with the root.
 *
 * Entries wait in parts of one list, one part for each node to come, as in a radix sort: a node's part is sorted in
 * place into those of its callers. Each entry carries the frame that it has reached on its way up. Nodes get their
 * numbers depth first, as in all graphs.
 *
 * A million nodes take longer than a person waits after a key press: this stops now and then and yields how much is
 * done, 0 to 1.
 *
 * @param {import('./profile.js').Profile} profile
 * @param {Graph} graph
 * @param {Uint32Array} entryOf  [node] where its stack is read from; ROOT = nowhere
 * @returns {Generator<number, Graph>}
 */
export function* turning({ frames }, graph, entryOf) {
    const { count, parent, frame } = graph;
    const threads = graph.extras[0]?.what === 'thread' ? threadNodes(graph) : null;
    const entries = entriesOf(graph, entryOf);
    const most = deepestRow(graph, entries);
    const extras = graph.extras.concat(FURTHER_UP);
    const furtherUp = frames.count + extras.length - 1;
    const image = new Uint32Array(count);
    const firstRow = new Uint32Array(frames.count + extras.length);
    const entry = entries.slice();
    const at = entries.slice();
    const toKey = entries.map((n) => frame[threads ? threads[n] : n]); // the frame that it is sorted by
    const sorted = { entry: new Uint32Array(entry.length), at: new Uint32Array(entry.length) };
    const size = new Uint32Array(firstRow.length);
    const place = new Uint32Array(firstRow.length);
    const keys = new Ints();
    const waiting = { from: new Ints(), to: new Ints(), up: new Ints(), row: new Ints(), key: new Ints() };
    const made = { parent: new Ints(), frame: new Ints(), smaller: new Ints(), base: new Ints(), line: new Ints() };

    /** Sorts a part by its keys: each becomes a part that waits. @param {number} from @param {number} to */
    const part = (from, to, /** @type {number} */ up, /** @type {number} */ row) => {
        for (let i = from; i < to; i++) if (!size[toKey[i]]++) keys.push(toKey[i]);
        let start = from;
        for (let k = 0; k < keys.count; k++) {
            const key = keys.items[k];
            waiting.from.push(start);
            place[key] = start;
            start += size[key];
            size[key] = 0;
            waiting.to.push(start);
            waiting.up.push(up);
            waiting.row.push(row);
            waiting.key.push(key);
        }
        for (let i = from; i < to && keys.count > 1; i++) {
            const there = place[toKey[i]]++;
            sorted.entry[there] = entry[i];
            sorted.at[there] = at[i];
        }
        for (let i = from; i < to && keys.count > 1; i++) {
            entry[i] = sorted.entry[i];
            at[i] = sorted.at[i];
        }
        keys.count = 0;
    };
    /** @param {number} up @param {number} key @param {number} source @param {number} line @param {number} smaller */
    const make = (up, key, source, line, smaller) => {
        made.frame.push(key);
        made.base.push(graph.base ? graph.base[source] : source);
        made.line.push(key < frames.count ? line : 0);
        made.smaller.push(smaller);
        made.parent.push(up);
    };
    const lineOf = (/** @type {number} */ n) =>
        graph.line ? graph.line[n] : frame[n] < frames.count ? frames.line[frame[n]] : 0;

    make(ROOT, 0, ROOT, 0, 0);
    part(0, entry.length, ROOT, threads ? 0 : 1);
    for (let from = 0, to = 0, up = ROOT, row = 0, key = 0, node = ROOT; to > from || waiting.from.count;) {
        if (to === from) {
            from = waiting.from.pop();
            to = waiting.to.pop();
            up = waiting.up.pop();
            row = waiting.row.pop();
            key = waiting.key.pop();
        }
        const isOwn = row > 0 && key !== furtherUp; // and not a thread or callers further up
        const first = threads && row === 0 ? threads[at[from]] : at[from];
        node = made.parent.count;
        let line = isOwn ? lineOf(at[from]) : 0;
        let many = 0;
        let left = from;
        if (row === 1) firstRow[key] ||= node;
        for (let i = from; i < to; i++) {
            const source = at[i];
            const caller = row === 0 ? source : parent[source];
            image[entry[i]] = node;
            if (isOwn) {
                many += graph.smaller[source];
                if (line && line !== lineOf(source)) line = 0;
            }
            if (key === furtherUp || caller === ROOT || (threads !== null && threads[caller] === caller)) continue;
            entry[left] = entry[i];
            at[left] = row < most ? caller : source;
            toKey[left++] = row < most ? frame[caller] : furtherUp;
        }
        make(up, key, first, line, many);
        if (node % STEPS_AT_ONCE === 0) yield 1 - to / entry.length; // the last parts come first
        if (left - from === 1) {
            // A unique stack: its callers follow one another.
            [to, up, key] = [left, node, toKey[from]];
            row++;
        } else {
            part(from, left, node, row + 1);
            to = from;
        }
    }
    const parents = made.parent.view.slice();
    return {
        count: parents.length,
        parent: parents,
        frame: made.frame.view.slice(),
        smaller: made.smaller.view.slice(),
        end: subtreeEnds(parents),
        leaf: graph.leaf.map((n) => image[entryOf[n]]),
        base: made.base.view.slice(),
        line: made.line.view.slice(),
        extras,
        origin: null,
        turned: { graph, image: frame.map((f, n) => (n === ROOT ? ROOT : firstRow[f])) },
    };
}

/**
 * All of it at once.
 * @param {import('./profile.js').Profile} profile
 * @param {Graph} graph
 * @param {Uint32Array} entryOf
 * @returns {Graph}
 */
export function turnOver(profile, graph, entryOf) {
    return finish(turning(profile, graph, entryOf));
}

/**
 * The nodes where facts begin, in ascending order.
 * @param {Graph} graph
 * @param {Uint32Array} entryOf
 */
function entriesOf({ count, leaf }, entryOf) {
    const wanted = new Uint8Array(count);
    for (let i = 0; i < leaf.length; i++) wanted[entryOf[leaf[i]]] = 1;
    wanted[ROOT] = 0;
    const entries = new Ints(count);
    for (let n = 0; n < count; n++) if (wanted[n]) entries.push(n);
    return entries.view;
}

/**
 * The maximum rows of callers for which MOST_STEPS are enough for all entries.
 * @param {Graph} graph
 * @param {Uint32Array} entries
 */
function deepestRow({ parent }, entries) {
    const depth = depthsOf(parent);
    let deepest = 0;
    for (let i = 0; i < entries.length; i++) deepest = Math.max(deepest, depth[entries[i]]);
    const ending = new Uint32Array(deepest + 2);
    for (let i = 0; i < entries.length; i++) ending[depth[entries[i]]]++;
    let row = 0;
    for (let steps = 0, left = entries.length; row <= deepest && steps + left <= MOST_STEPS; row++) {
        steps += left;
        left -= ending[row + 1];
    }
    return Math.max(1, row);
}

/** For each node the thread that it is below. @param {Graph} graph */
function threadNodes({ count, parent }) {
    const thread = new Uint32Array(count);
    for (let n = 1; n < count; n++) thread[n] = parent[n] === ROOT ? n : thread[parent[n]];
    return thread;
}

/**
 * The wanted frames right below the root, each with all that is below it; the other facts stay with the root.
 * @param {Graph} graph
 * @param {Uint32Array} top  [node] of `outermost`
 * @returns {Graph}
 */
export function below(graph, top) {
    const image = new Uint32Array(graph.count);
    const source = new Ints();
    source.push(ROOT);
    for (let n = 1; n < graph.count; n++) if (top[n]) image[n] = source.push(n);
    const nodes = source.view.slice();
    const parents = nodes.map((n) => image[graph.parent[n]]);
    const base = graph.base;
    return {
        count: nodes.length,
        parent: parents,
        frame: nodes.map((n) => graph.frame[n]),
        smaller: nodes.map((n) => graph.smaller[n]),
        end: subtreeEnds(parents),
        leaf: pick(image, graph.leaf),
        base: base ? nodes.map((n) => base[n]) : nodes,
        line: null,
        extras: graph.extras,
        origin: null,
        turned: { graph, image },
    };
}
