// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs turned round, from one function's side: who calls, and what is called, over all paths.
 *
 * `turnOver` reads stacks from their inner end: below the root stand the frames that hold something by themselves (or
 * one function that was asked for), below each its callers. `below` takes one function out of the tree with all that it
 * calls. Both keep what every fact holds, and a function that calls itself counts once a stack.
 */
import { Ints } from './ints.js';
import { ROOT, depthsOf, subtreeEnds } from './profile.js';

/** @typedef {import('./graph.js').Graph} Graph */

/** So many callers are followed in all; stacks deeper than what that allows end in "callers further up". */
const MOST_STEPS = 4_000_000;

/** @type {import('./graph.js').Extra} */
const FURTHER_UP = { what: 'further', label: 'callers further up', frames: 1 };

/**
 * For each node the one its stack is read from: itself.
 * @param {Graph} graph
 */
export const everyNode = ({ count }) => Uint32Array.from({ length: count }, (_, n) => n);

/**
 * For each node the outermost one above it, or itself, that shows one of the wanted frames; ROOT = none.
 * @param {Graph} graph
 * @param {(frame: number) => boolean} isWanted
 * @returns {Uint32Array} [node]
 */
export function outermost({ count, parent, frame, smaller }, isWanted) {
    const found = new Uint32Array(count);
    for (let n = ROOT + 1; n < count; n++)
        found[n] = found[parent[n]] || (!smaller[n] && isWanted(frame[n]) ? n : ROOT);
    return found;
}

/**
 * The graph whose first row are the nodes of ENTRY and whose further rows are their callers. Threads of a graph that is
 * split by them stay below the root. What has no entry stays with the root.
 *
 * Entries wait in chains, one for each node to come; each remembers the frame that it has reached on its way up. The
 * order in which nodes get their numbers is depth first, as in all graphs.
 *
 * @param {import('./profile.js').Profile} profile
 * @param {Graph} graph
 * @param {Uint32Array} entryOf  [node] where its stack is read from; ROOT = nowhere
 * @returns {Graph}
 */
export function turnOver({ frames }, graph, entryOf) {
    const { count, parent, frame } = graph;
    const threads = graph.extras[0]?.what === 'thread' ? threadNodes(graph) : null;
    const entries = entriesOf(graph, entryOf);
    const most = deepestRow(graph, entries);
    const extras = graph.extras.concat(FURTHER_UP);
    const furtherUp = frames.count + extras.length - 1;
    const at = everyNode(graph);
    const next = new Uint32Array(count);
    const last = new Uint32Array(count);
    const image = new Uint32Array(count);
    const met = new Int32Array(frames.count + extras.length).fill(-1);
    const metFirst = new Uint32Array(met.length);
    const firstRow = new Uint32Array(met.length);
    const waiting = { entry: new Ints(), up: new Ints(), row: new Ints(), frame: new Ints() };
    const made = { parent: new Ints(), frame: new Ints(), smaller: new Ints(), base: new Ints(), line: new Ints() };

    /** @param {number} entry @param {number} key @param {number} up @param {number} row */
    const wait = (entry, key, up, row) => {
        if (met[key] === up) {
            next[last[metFirst[key]]] = entry;
            last[metFirst[key]] = entry;
            return;
        }
        met[key] = up;
        metFirst[key] = last[entry] = entry;
        waiting.entry.push(entry);
        waiting.up.push(up);
        waiting.row.push(row);
        waiting.frame.push(key);
    };
    /** @param {number} up @param {number} key @param {number} source @param {number} line @param {number} smaller */
    const make = (up, key, source, line, smaller) => {
        made.frame.push(key);
        made.base.push(graph.base ? graph.base[source] : source);
        made.line.push(line);
        made.smaller.push(smaller);
        return made.parent.push(up);
    };
    const lineOf = (/** @type {number} */ n) =>
        graph.line ? graph.line[n] : frame[n] < frames.count ? frames.line[frame[n]] : 0;

    make(ROOT, 0, ROOT, 0, 0);
    for (const entry of entries)
        wait(entry, threads ? frame[threads[entry]] : frame[entry], ROOT, threads ? 0 : 1);
    while (waiting.entry.count) {
        const head = waiting.entry.pop();
        const row = waiting.row.pop();
        const key = waiting.frame.pop();
        const end = last[head];
        let line = lineOf(at[head]);
        let many = 0;
        const node = make(waiting.up.pop(), key, threads && row === 0 ? threads[head] : at[head], 0, 0);
        if (row === 1) firstRow[key] ||= node;
        for (let entry = head, more = true, following = 0; more; entry = following) {
            more = entry !== end;
            following = next[entry];
            const source = at[entry];
            many += row > 0 && key !== furtherUp ? graph.smaller[source] : 0;
            line = line === lineOf(source) ? line : 0;
            const caller = row === 0 ? source : parent[source];
            const isEnd = key === furtherUp || caller === ROOT || (threads !== null && threads[caller] === caller);
            image[entry] = node;
            if (isEnd) continue;
            if (row < most) {
                at[entry] = caller;
                wait(entry, frame[caller], node, row + 1);
            } else {
                wait(entry, furtherUp, node, row + 1);
            }
        }
        made.line.items[node] = row > 0 && key < frames.count ? line : 0;
        made.smaller.items[node] = many;
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
 * The nodes that facts begin at, in ascending order.
 * @param {Graph} graph
 * @param {Uint32Array} entryOf
 */
function entriesOf({ count, leaf }, entryOf) {
    const wanted = new Uint8Array(count);
    for (let i = 0; i < leaf.length; i++) wanted[entryOf[leaf[i]]] = 1;
    wanted[ROOT] = 0;
    return Uint32Array.from(wanted.keys()).filter((n) => wanted[n]);
}

/**
 * How many rows of callers there may be, so that MOST_STEPS are enough for all entries.
 * @param {Graph} graph
 * @param {Uint32Array} entries
 */
function deepestRow({ parent }, entries) {
    const depth = depthsOf(parent);
    const deepest = depth.reduce((most, one) => Math.max(most, one), 0);
    const ending = new Uint32Array(deepest + 2);
    for (const entry of entries) ending[depth[entry]]++;
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
        leaf: graph.leaf.map((n) => image[n]),
        base: base ? nodes.map((n) => base[n]) : nodes,
        line: null,
        extras: graph.extras,
        origin: null,
        turned: { graph, image },
    };
}
