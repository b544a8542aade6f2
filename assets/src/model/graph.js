// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs: trees derived from the profile's own, with the facts moved along. A view draws a graph and never the profile,
 * so splitting by thread, hiding groups of frames and putting the runner into one box are all the same to it.
 *
 * Every graph keeps the total: a frame that is hidden gives what it holds to the nearest frame above it.
 */
import { Ints } from './ints.js';
import {
    OWNERS, OWNER_RUNNER, OWNER_SMALLER, ROOT, frameOwner, isImport, isRunner, stringAt, subtreeEnds,
} from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * A frame that is in no capture: a thread, or the box of the runner's frames.
 * @typedef {object} Extra
 * @property {'thread' | 'runner'} what
 * @property {string} label
 * @property {number} frames  how many frames it stands for
 */

/**
 * @typedef {object} GraphOnly
 * @property {Uint32Array} leaf         [fact] the node it lies on
 * @property {Uint32Array | null} base  the node of the profile's tree (the first one of several); null = the same
 * @property {Extra[]} extras           frame numbers from the profile's frame count on
 *
 * @typedef {import('./profile.js').Tree & GraphOnly} Graph
 */

/**
 * What to leave out. The groups are those of the menu "Hide".
 * @typedef {object} Shape
 * @property {boolean} split     a subtree for each thread
 * @property {boolean} runner    the runner's frames are one box
 * @property {string[]} hide     'imports', 'library', 'stdlib', 'native', 'kernel'
 */

/** The groups that can be hidden, with the test for a frame of each. */
export const GROUPS = {
    imports: isImport,
    library: ownedBy('library'),
    stdlib: ownedBy('stdlib'),
    native: ownedBy('native'),
    kernel: ownedBy('kernel'),
};

/**
 * @param {string} owner
 * @returns {(kind: number) => boolean}
 */
function ownedBy(owner) {
    const number = OWNERS.indexOf(owner);
    return (kind) => frameOwner(kind) === number && !isRunner(kind);
}

/**
 * @param {Profile} profile
 * @param {Shape} shape
 * @returns {Graph}
 */
export function makeGraph(profile, shape) {
    const graph = shape.split ? splitByThread(profile)
        : { ...profile.tree, leaf: profile.facts.leaf, base: null, extras: [] };
    return simplify(profile, graph, shape);
}

/**
 * A subtree for each thread that has facts, in the order of the threads.
 * @param {Profile} profile
 * @returns {Graph}
 */
export function splitByThread(profile) {
    const { tree, facts, frames } = profile;
    const parent = new Ints(), frame = new Ints(), base = new Ints(), extras = /** @type {Extra[]} */ ([]);
    const leaf = new Uint32Array(facts.count);
    const image = new Uint32Array(tree.count), path = new Ints();
    /** @param {number} up @param {number} frameId @param {number} from */
    const add = (up, frameId, from) => {
        frame.push(frameId);
        base.push(from);
        return parent.push(up);
    };
    add(ROOT, 0, ROOT);
    let thread = -1, top = 0;
    for (const i of sortedByThread(profile)) {
        if (facts.thread[i] !== thread) {
            thread = facts.thread[i];
            extras.push({ what: 'thread', label: profile.threads[thread], frames: 1 });
            image[ROOT] = top = add(ROOT, frames.count + extras.length - 1, ROOT);
        }
        // Leaves of a thread come in ascending order, so what a leaf adds is behind all that is there: depth first.
        let node = facts.leaf[i];
        for (path.count = 0; image[node] < top; node = tree.parent[node])
            path.push(node);
        for (let up = image[node]; path.count > 0; up = image[node]) {
            node = path.items[--path.count];
            image[node] = add(up, tree.frame[node], node);
        }
        leaf[i] = image[facts.leaf[i]];
    }
    const nodes = parent.view.slice();
    return {
        count: nodes.length,
        parent: nodes,
        frame: frame.view.slice(),
        smaller: base.view.map((n) => tree.smaller[n]),
        end: subtreeEnds(nodes),
        leaf,
        base: base.view.slice(),
        extras,
    };
}

/**
 * The facts' numbers, thread by thread, each thread's in the order of the leaves.
 * @param {Profile} profile
 */
function sortedByThread({ facts, threads }) {
    const start = new Uint32Array(threads.length + 1), order = new Uint32Array(facts.count);
    for (let i = 0; i < facts.count; i++)
        start[facts.thread[i] + 1]++;
    for (let t = 0; t < threads.length; t++)
        start[t + 1] += start[t];
    for (let i = 0; i < facts.count; i++)
        order[start[facts.thread[i]]++] = i;
    return order;
}

const KEEP = 0, HIDE = 1, BOX = 2;

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Shape} shape
 * @returns {Graph}
 */
function simplify(profile, graph, shape) {
    const action = actions(profile, shape);
    return action.some((a) => a !== KEEP) ? depthFirst(graph, condense(profile, graph, action)) : graph;
}

/**
 * What becomes of each frame.
 * @param {Profile} profile
 * @param {Shape} shape
 */
function actions({ frames }, { runner, hide }) {
    const action = new Uint8Array(frames.count);
    const hidden = Object.entries(GROUPS).filter(([name]) => hide.includes(name)).map(([, test]) => test);
    for (let f = 0; f < frames.count; f++) {
        if (hidden.some((test) => test(frames.kind[f])))
            action[f] = HIDE;
        else if (runner && isRunner(frames.kind[f]))
            action[f] = BOX;
    }
    return action;
}

/**
 * The tree without what is hidden, and with one box for the runner's frames below the root or below a thread. Parents
 * come before children, but not yet depth first: a node may be met again under a second hidden one and is then merged.
 *
 * @typedef {object} Condensed
 * @property {number} count
 * @property {Uint32Array} parent
 * @property {Uint32Array} frame
 * @property {Uint32Array} smaller
 * @property {Uint32Array} base
 * @property {Uint32Array} image   where each node of the graph went
 * @property {Extra[]} extras
 *
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Uint8Array} action
 * @returns {Condensed}
 */
function condense({ frames }, graph, action) {
    const { count, extras: before } = graph, extras = before.slice();
    const parent = new Uint32Array(count), frame = new Uint32Array(count), smaller = new Uint32Array(count);
    const base = new Uint32Array(count), image = new Uint32Array(count);
    const isBox = new Uint8Array(count), boxBelow = new Map();
    // Children of a node that stands for several may occur several times: they are looked up by frame.
    const shared = new Uint8Array(count), child = new Map();
    let used = 1;

    /** @param {number} up @param {number} n @param {number} frameId */
    const add = (up, n, frameId) => {
        parent[used] = up;
        frame[used] = frameId;
        base[used] = graph.base ? graph.base[n] : n;
        return used++;
    };
    /** @param {number} up  @param {number} n */
    const boxFor = (up, n) => {
        let box = isBox[up] ? up : boxBelow.get(up);
        if (box === undefined) {
            box = add(up, n, frames.count + extras.push({ what: 'runner', label: '', frames: 0 }) - 1);
            boxBelow.set(up, box);
            isBox[box] = shared[box] = 1;
        }
        extras[frame[box] - frames.count].frames++;
        return box;
    };
    /** @param {number} up  @param {number} n */
    const keep = (up, n) => {
        const key = up * 2 ** 32 + graph.frame[n], known = shared[up] ? child.get(key) : undefined;
        if (known !== undefined) {
            shared[known] = 1;
            return known;
        }
        const node = add(up, n, graph.frame[n]);
        if (shared[up])
            child.set(key, node);
        return node;
    };
    for (let n = 1; n < count; n++) {
        const up = image[graph.parent[n]];
        const what = graph.frame[n] < frames.count ? action[graph.frame[n]] : KEEP;
        const top = up === ROOT || (frame[up] >= frames.count && !isBox[up]);
        if (what === HIDE) {
            image[n] = up;
            shared[up] = 1;
        } else if (what === BOX && (top || isBox[up])) {
            image[n] = boxFor(up, n);
        } else {
            image[n] = keep(up, n);
            smaller[image[n]] += graph.smaller[n];
        }
    }
    for (const extra of extras) {
        if (extra.what === 'runner')
            extra.label = extra.frames === 1 ? '1 frame of the runner' : `${extra.frames} frames of the runner`;
    }
    return { count: used, parent, frame, smaller, base, image, extras };
}

/**
 * The same tree, numbered depth first.
 * @param {Graph} graph  whose facts move along
 * @param {Condensed} tree
 * @returns {Graph}
 */
function depthFirst(graph, { count, parent, frame, smaller, base, image, extras }) {
    const first = new Uint32Array(count), next = new Uint32Array(count), number = new Uint32Array(count);
    for (let n = count - 1; n > 0; n--) {
        next[n] = first[parent[n]];
        first[parent[n]] = n;
    }
    const order = new Uint32Array(count);
    for (let n = first[ROOT], k = 1; n !== ROOT; k++) {
        order[k] = n;
        number[n] = k;
        if (first[n]) {
            n = first[n];
        } else {
            while (n !== ROOT && !next[n])
                n = parent[n];
            n = next[n];
        }
    }
    const nodes = order.map((n) => number[parent[n]]);
    return {
        count,
        parent: nodes,
        frame: order.map((n) => frame[n]),
        smaller: order.map((n) => smaller[n]),
        end: subtreeEnds(nodes),
        leaf: graph.leaf.map((n) => number[image[n]]),
        base: order.map((n) => base[n]),
        extras,
    };
}

/**
 * The node of a graph that shows a node of the profile's tree, or the nearest one above it.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {number} baseNode
 */
export function nodeFor(profile, graph, baseNode) {
    if (!graph.base)
        return baseNode;
    for (let node = baseNode; node !== ROOT; node = profile.tree.parent[node]) {
        const at = graph.base.indexOf(node);
        if (at > 0)
            return at;
    }
    return ROOT;
}

/**
 * @param {Graph} graph
 * @param {number} node
 * @returns {number} of the profile's tree
 */
export const baseOf = (graph, node) => (graph.base ? graph.base[node] : node);

/**
 * What a node is called, where its code is and whose it is.
 * @typedef {object} Label
 * @property {string} name
 * @property {string} file   '' = unknown
 * @property {number} line   0 = unknown
 * @property {number} owner  index into OWNERS, or OWNER_RUNNER, OWNER_SMALLER
 * @property {Extra | null} extra
 */

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {number} node
 * @returns {Label}
 */
export function labelOf(profile, graph, node) {
    const { frames, strings } = profile, f = graph.frame[node];
    if (node === ROOT)
        return { name: profile.rootLabel, file: '', line: 0, owner: OWNER_RUNNER, extra: null };
    if (f >= frames.count) {
        const extra = graph.extras[f - frames.count];
        return { name: extra.label, file: '', line: 0, owner: OWNER_RUNNER, extra };
    }
    return {
        name: stringAt(strings, frames.function[f]),
        file: stringAt(strings, frames.file[f]),
        line: frames.line[f],
        owner: ownerOf(profile, graph, node),
        extra: null,
    };
}

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {number} node
 * @returns {number} index into OWNERS, or OWNER_RUNNER, OWNER_SMALLER
 */
export function ownerOf({ frames }, graph, node) {
    const f = graph.frame[node];
    if (node === ROOT || f >= frames.count)
        return OWNER_RUNNER;
    if (graph.smaller[node])
        return OWNER_SMALLER;
    return isRunner(frames.kind[f]) ? OWNER_RUNNER : frameOwner(frames.kind[f]);
}
