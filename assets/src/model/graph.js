// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs: trees derived from the profile's own, with the facts moved along. A view draws a graph and never the profile,
 * so splitting by thread, hiding groups of frames and putting the runner into one box make no difference to it.
 *
 * Every graph keeps the total: a frame that is hidden gives what it holds to the nearest frame above it.
 */
import { count } from '../lib/units.js';
import { groupAlike, groupFrames, isOneFunction } from './groups.js';
import { Ints, pick } from './ints.js';
import { nodes } from './partial.js';
import { below, outermost } from './turn.js';
import { OWNERS, OWNER_RUNNER, OWNER_SMALLER } from '../lib/owners.js';
import {
    ROOT,
    frameOwner,
    isBelowRunner,
    isImport,
    isRunner,
    ownerOfKind,
    stringAt,
    subtreeEnds,
} from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * A frame that is not in any capture: the root, a thread, the box of the runner's frames, callers that are too far
 * away.
 * @typedef {object} Extra
 * @property {'root' | 'thread' | 'runner' | 'further'} what
 * @property {string} label
 * @property {number} frames  how many frames it represents
 */

/**
 * @typedef {object} GraphOnly
 * @property {Uint32Array} leaf         [fact] the node it is on
 * @property {Uint32Array | null} base  [node] of the profile's tree, the first one of several; null = the same
 * @property {Uint32Array | null} line  [node] 0 = several; null = that of the frame
 * @property {Extra[]} extras           frame numbers from the profile's frame count on
 * @property {{graph: Graph, image: Uint32Array} | null} origin  what it was made from, and where each of its nodes went
 * @property {{graph: Graph, image: Uint32Array} | null} turned  of model/turn.js: what it was made from, and the first
 *     node for each of its nodes; ROOT = none
 *
 * @typedef {import('./profile.js').Tree & GraphOnly} Graph
 */

/**
 * What to leave out. The groups are those of the menu "Hide".
 * @typedef {object} Shape
 * @property {boolean} split     a subtree for each thread
 * @property {boolean} lines     a frame for each line that ran; false = one for each function
 * @property {boolean} runner    the runner's frames are one box
 * @property {string[]} hide     'imports', 'library', 'stdlib', 'native', 'kernel'
 * @property {number} [focus]    a frame: its function is always shown
 * @property {number[]} [drop]   frames whose functions are hidden
 * @property {number[]} [away]   frames whose packages are hidden
 * @property {boolean} [only]    only that function, over all paths, and what it calls
 */

/** The groups that can be hidden, with the test for a frame of each. */
export const GROUPS = {
    imports: isImport,
    library: ownedBy('library'),
    stdlib: ownedBy('stdlib'),
    native: isNativeCode,
    kernel: ownedBy('kernel'),
};

/**
 * Whether frames of a kind are hidden.
 * @param {string[]} hide  names of groups
 * @returns {(kind: number) => boolean}
 */
export function hiddenBy(hide) {
    const tests = Object.entries(GROUPS)
        .filter(([name]) => hide.includes(name))
        .map(([, test]) => test);
    return (kind) => tests.some((test) => test(kind));
}

/**
 * @param {string} owner
 * @returns {(kind: number) => boolean}
 */
function ownedBy(owner) {
    const number = OWNERS.indexOf(owner);
    return (kind) => ownerOfKind(kind) === number;
}

/**
 * The runner's are native too: the start of a thread, what a profiler's own start calls.
 * @param {number} kind
 */
function isNativeCode(kind) {
    return frameOwner(kind) === NATIVE;
}

/**
 * @param {Profile} profile
 * @param {Shape} shape
 * @returns {Graph}
 */
export function makeGraph(profile, shape) {
    const graph = shape.split && !shape.only ? splitByThread(profile) : wholeTree(profile);
    const isFocus = focusOf(profile, shape);
    return simplify(profile, shape.only ? below(graph, outermost(graph, isFocus)) : graph, shape, isFocus);
}

/** The same each time, so that its sums are too. @param {Profile} profile @returns {Graph} */
export const wholeTree = ({ tree, facts }) =>
    (tree.graph ??= {
        ...tree,
        leaf: facts.leaf,
        base: null,
        line: null,
        extras: [],
        origin: null,
        turned: null,
    });

/**
 * Whether a frame belongs to the function, or the line, in focus.
 * @param {Profile} profile
 * @param {Pick<Shape, 'focus' | 'lines'>} shape
 * @returns {(frame: number) => boolean}
 */
export function focusOf({ frames }, { focus = -1, lines }) {
    if (focus < 0 || focus >= frames.count) return () => false;
    const { count, function: name, file, kind, line } = frames;
    const last = lines ? line : kind;
    // Asked for each node: spelled out.
    return (frame) =>
        frame < count &&
        name[frame] === name[focus] &&
        file[frame] === file[focus] &&
        kind[frame] === kind[focus] &&
        last[frame] === last[focus];
}

/**
 * A subtree for each thread that has facts, in the order of the threads.
 * @param {Profile} profile
 * @returns {Graph}
 */
export function splitByThread(profile) {
    const { tree, facts, frames } = profile;
    const parent = new Ints();
    const frame = new Ints();
    const base = new Ints();
    const extras = /** @type {Extra[]} */ ([]);
    const leaf = new Uint32Array(facts.count);
    const image = new Uint32Array(tree.count);
    const path = new Ints();
    /** @param {number} up @param {number} frameId @param {number} from */
    const add = (up, frameId, from) => {
        frame.push(frameId);
        base.push(from);
        return parent.push(up);
    };
    add(ROOT, 0, ROOT);
    let thread = -1;
    let top = 0;
    for (const i of sortedByThread(profile)) {
        if (facts.thread[i] !== thread) {
            thread = facts.thread[i];
            extras.push({ what: 'thread', label: profile.threads[thread], frames: 1 });
            image[ROOT] = top = add(ROOT, frames.count + extras.length - 1, ROOT);
        }
        // Leaves of a thread come in ascending order, so what a leaf adds comes after all nodes so far: depth first.
        let node = facts.leaf[i];
        for (path.count = 0; image[node] < top; node = tree.parent[node]) path.push(node);
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
        line: null,
        extras,
        origin: null,
        turned: null,
    };
}

/**
 * The facts' numbers, thread by thread, each thread's in the order of the leaves.
 * @param {Profile} profile
 */
function sortedByThread({ facts, threads }) {
    const start = new Uint32Array(threads.length + 1);
    const order = new Uint32Array(facts.count);
    for (let i = 0; i < facts.count; i++) start[facts.thread[i] + 1]++;
    for (let t = 0; t < threads.length; t++) start[t + 1] += start[t];
    for (let i = 0; i < facts.count; i++) order[start[facts.thread[i]]++] = i;
    return order;
}

const NATIVE = OWNERS.indexOf('native');
const KEEP = 0;
const HIDE = 1;
const BOX = 2;

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Shape} shape
 * @param {(frame: number) => boolean} isFocus
 * @returns {Graph}
 */
function simplify(profile, graph, shape, isFocus) {
    const action = actions(profile, shape).map((what, f) => (isFocus(f) ? KEEP : what));
    const same = shape.lines ? null : sameFunction(profile);
    return same || shape.only || action.some((a) => a !== KEEP) ? condense(profile, graph, action, same) : graph;
}

/**
 * For each frame the first one of its function; null when there is nothing to join.
 * @param {Profile} profile
 * @returns {Uint32Array | null}
 */
function sameFunction(profile) {
    const { frames } = profile;
    const { count, kind } = frames;
    const functions = groupFrames(profile, 'function');
    const isOne = functions.group.every((g, f) => kind[f] === kind[functions.first[g]]);
    const { group, first } = isOne ? functions : groupAlike(count, [functions.group, kind]);
    return first.length < count ? group.map((g) => first[g]) : null;
}

/**
 * What becomes of each frame.
 * @param {Profile} profile
 * @param {Shape} shape
 */
function actions(profile, { runner, hide, lines, drop = [], away = [] }) {
    const { frames } = profile;
    const gone = new Set(away.map((frame) => frames.package[frame]));
    const dropped = drop.map((frame) => focusOf(profile, { focus: frame, lines }));
    const action = new Uint8Array(frames.count);
    const isHidden = hiddenBy(hide);
    for (let f = 0; f < frames.count; f++) {
        const isGone = gone.has(frames.package[f]) || dropped.some((isSame) => isSame(f));
        if (isHidden(frames.kind[f]) || isGone) action[f] = HIDE;
        else if (runner && isRunner(frames.kind[f])) action[f] = BOX;
    }
    return action;
}

/**
 * The tree without what is hidden, with one box for the runner's frames below a frame and the native ones between them,
 * and with siblings of one function joined.
 *
 * A node of the result represents a chain of nodes of the graph, its sources; until it has a number, its first source
 * represents it. Nodes get their numbers depth first: the children of all sources are sorted into new nodes, which wait
 * on a stack; hidden ones join the chain that is being walked, so that their children follow as if they were its own.
 * `met` keeps which frames a node has met, by node number, so that nothing is cleared or hashed.
 *
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {Uint8Array} action         [frame]
 * @param {Uint32Array | null} same   [frame] the frame it is joined with
 * @returns {Graph}
 */
function condense({ frames }, graph, action, same) {
    const { count, end, frame: frameOf } = graph;
    const extras = graph.extras.slice();
    const column = () => new Uint32Array(count);
    const parent = column();
    const frame = column();
    const smaller = column();
    const line = column();
    const base = column();
    const image = column();
    const next = column();
    const last = column();
    const waiting = column();
    const parentOf = column();
    const isBox = new Uint8Array(count);
    const met = new Int32Array(frames.count).fill(-1);
    const metFirst = new Uint32Array(frames.count);
    /** Nodes that are in a runner's box only as they, or what called them, are hidden. @type {Set<number>} */
    const stray = new Set();
    let used = 0;
    let depth = 0;

    /** @param {number} first @param {number} up @param {0 | 1} box */
    const wait = (first, up, box) => {
        last[first] = waiting[depth] = first;
        parentOf[depth] = up;
        isBox[depth++] = box;
    };
    /** @param {number} first @param {number} source */
    const join = (first, source) => {
        next[last[first]] = source;
        last[first] = source;
    };
    for (wait(ROOT, ROOT, 0); depth > 0;) {
        const first = waiting[--depth];
        const inBox = isBox[depth] === 1;
        const node = used++;
        const own = frameOf[first];
        const isExtra = node === ROOT || own >= frames.count;
        const box = inBox ? { ...RUNNER_BOX } : null;
        parent[node] = parentOf[depth];
        base[node] = graph.base ? graph.base[first] : first;
        frame[node] = box ? frames.count + extras.push(box) - 1 : same && !isExtra ? same[own] : own;
        line[node] = isExtra || box ? 0 : frames.line[own];
        for (let source = first, more = true; more; source = next[source]) {
            more = source !== last[first];
            if (graph.smaller[source]) smaller[node] += graph.smaller[source];
            line[node] = line[node] && line[node] === frames.line[frameOf[source]] ? line[node] : 0;
            if (box) box.frames++;
        }
        for (let source = first, boxBelow = 0, more = true; more; source = next[source]) {
            image[source] = node;
            for (let child = source + 1; child < end[source]; child = end[child]) {
                const f = frameOf[child];
                const known = f < frames.count;
                const what = known ? action[f] : KEEP;
                const isStart = known && (isRunner(frames.kind[f]) || isBelowRunner(frames.kind[f]));
                if (what === HIDE || (box && isStart)) {
                    join(first, child);
                    // A runner's box has as many frames when some of them are hidden.
                    if (box && isStart && !stray.has(source)) box.frames++;
                    else if (box) stray.add(child);
                } else if (what === BOX) {
                    if (boxBelow) join(boxBelow, child);
                    else wait((boxBelow = child), node, 1);
                } else {
                    const as = known && same ? same[f] : f;
                    if (known && met[as] === node) {
                        join(metFirst[as], child);
                        continue;
                    }
                    wait(child, node, 0);
                    if (known) {
                        met[as] = node;
                        metFirst[as] = child;
                    }
                }
            }
            more = source !== last[first];
        }
        if (box) box.label = runnerName(box.frames);
        // A single frame in the middle of a stack says more than a box.
        if (box?.frames === 1 && frame[parent[node]] < frames.count && parent[node] !== ROOT) {
            extras.pop();
            frame[node] = same ? same[own] : own;
            line[node] = frames.line[own];
        }
    }
    const parents = parent.subarray(0, used);
    return {
        count: used,
        parent: parents,
        frame: frame.subarray(0, used),
        smaller: smaller.subarray(0, used),
        end: subtreeEnds(parents),
        leaf: pick(image, graph.leaf),
        base: base.subarray(0, used),
        line: line.subarray(0, used),
        extras,
        origin: { graph, image },
        turned: null,
    };
}


/** @type {Extra} */
const RUNNER_BOX = { what: 'runner', label: '', frames: 0 };

/**
 * The node of a graph that shows a node of the profile's tree, or the nearest one above it.
 * @param {Graph} graph
 * @param {number} baseNode
 * @returns {number}
 */
export function nodeFor({ origin, turned, base }, baseNode) {
    if (turned) return turned.image[nodeFor(turned.graph, baseNode)];
    if (origin) return origin.image[nodeFor(origin.graph, baseNode)];
    return base && baseNode !== ROOT ? Math.max(ROOT, base.indexOf(baseNode, 1)) : baseNode;
}

/**
 * The lines of a frame that represents a whole function, with what each holds, largest first.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {() => import('./calltree.js').Sums} originSums  of the graph that it was made from
 * @param {number} node
 * @returns {{line: number, sum: number}[]}
 */
export function linesOf({ frames }, { origin, frame, line }, originSums, node) {
    if (!origin || !line || line[node] || node === ROOT || frame[node] >= frames.count) return [];
    const { total } = originSums();
    const sums = new Map();
    const f = frame[node];
    const { image } = origin;
    for (let source = 0; source < image.length; source++) {
        if (image[source] !== node) continue;
        const own = origin.graph.frame[source];
        // Hidden frames went here too; those are different.
        if (isOneFunction(frames, own, f))
            sums.set(frames.line[own], (sums.get(frames.line[own]) ?? 0) + total[source]);
    }
    return Array.from(sums, ([number, sum]) => ({ line: number, sum }))
        .filter(({ sum }) => sum > 0)
        .sort((a, b) => b.sum - a.sum || a.line - b.line);
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
 * @property {number} line   0 = unknown, or several
 * @property {number} owner  index into OWNERS, or OWNER_RUNNER, OWNER_SMALLER
 * @property {Extra | null} extra
 */

/**
 * What people call a frame's function; a capture may have an empty name.
 * @param {Pick<Profile, 'frames' | 'strings'>} profile
 * @param {number} f
 */
export const functionName = ({ frames, strings }, f) =>
    stringAt(strings, frames.shown[f] || frames.function[f]) || '(no name)';

/** '' = it is no code. @param {Pick<Profile, 'frames' | 'packages'>} profile @param {number} f */
export const packageName = ({ frames, packages }, f) => stringAt(packages, frames.package[f]) || '(no package)';

/**
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {number} node
 * @returns {Label}
 */
export function labelOf(profile, graph, node) {
    const { frames, strings } = profile;
    const f = graph.frame[node];
    if (node === ROOT)
        return {
            name: profile.rootLabel,
            file: '',
            line: 0,
            owner: OWNER_RUNNER,
            extra: { what: 'root', label: '', frames: 0 },
        };
    if (f >= frames.count) {
        const extra = graph.extras[f - frames.count];
        return { name: extra.label, file: '', line: 0, owner: OWNER_RUNNER, extra };
    }
    const many = graph.smaller[node];
    return {
        name: many ? smallerName(many) : functionName(profile, f),
        file: stringAt(strings, frames.file[f]),
        line: !graph.line ? frames.line[f] : nodes.partial ? 0 : graph.line[node],
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
    if (node === ROOT || f >= frames.count) return OWNER_RUNNER;
    return graph.smaller[node] ? OWNER_SMALLER : ownerOfKind(frames.kind[f]);
}

/** @param {number} many */
const runnerName = (many) => `${count(many)} start-up ${many === 1 ? 'frame' : 'frames'}`;

/** Until all nodes of a large page are there, it is not known how many are smaller. @param {number} many */
export const smallerName = (many) =>
    `${nodes.partial ? '\u2026' : count(many)} smaller ${many === 1 ? 'frame' : 'frames'}`;
