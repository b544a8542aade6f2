// SPDX-License-Identifier: Apache-2.0
/*
 * The profile as the page holds it: typed columns, one object for each table, none for a row.
 *
 * Nodes are numbered depth first, so the subtree of node n is the range [n, end[n]). Values are integers in doubles,
 * exact to 2^53.
 */
import { OWNERS, OWNER_RUNNER } from '../lib/owners.js';

/**
 * All strings, one after the other; string i is text.slice(at[i], at[i + 1]), string 0 is empty.
 * @typedef {object} Strings
 * @property {string} text
 * @property {Uint32Array} at  [count + 1], in UTF-16 units
 */

/**
 * Places in code.
 * @typedef {object} Frames
 * @property {number} count
 * @property {Uint32Array} function  string
 * @property {Uint32Array} file      string
 * @property {Uint32Array} line      0 = unknown
 * @property {Uint32Array} begin     the first line of the function; 0 where its name and file alone tell it from others
 * @property {Uint32Array} shown     string: what people call a function without a name; 0, or empty: its name
 * @property {Uint8Array} kind       see the constants below
 * @property {Uint32Array} package   string of `packages`
 */

/**
 * A call tree, depth first. Node 0 is the root and has no frame.
 * @typedef {object} Tree
 * @property {number} count
 * @property {Uint32Array} parent  of the root: 0
 * @property {Uint32Array} frame
 * @property {Uint32Array} end     first node after the subtree
 * @property {Uint32Array} smaller  0, or how many smaller frames of its parent this node represents
 * @property {import('./graph.js').Graph} [graph]  of all of it, once asked for
 */

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} title
 * @property {string} unit
 * @property {string | null} countName  what `count` counts; null = no count
 * @property {number} total
 * @property {number} totalCount
 * @property {boolean} [allocators]  false: not of allocations
 * @property {number} [base]    in a difference: the metric this one is compared with
 * @property {import('./heat.js').Span} [during]  it is that of a part of the time
 * @property {Float64Array} value        [fact]
 * @property {Float64Array | null} count [fact]
 */

/**
 * What was measured, on which stack, thread and allocator. `leaf` never decreases.
 * @typedef {object} Facts
 * @property {number} count
 * @property {Uint32Array} leaf
 * @property {Uint32Array} thread
 * @property {Uint8Array | null} allocator
 */

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} title
 * @property {string} unit
 * @property {string} [lane]   the lane that it shares with others of its kind: "Memory"
 * @property {string} [short]  its name in that lane: "heap"
 * @property {string} note   what it means, in a few words
 * @property {number} [limit]  the maximum for the run
 * @property {boolean} [isBand]  a part of RSS, with the others between the heap and RSS: see resident.js
 * @property {boolean} [quiet]  0 throughout: named, not drawn
 * @property {number} [unknownFrom]  ms: its capture could be read only up to there
 * @property {Float64Array} at    ms since the epoch
 * @property {Float64Array} min   of the bucket; each point is one
 * @property {Float64Array} mean
 * @property {Float64Array} max
 */

/**
 * What the run was doing from one of its marks to the next; '' = before the first one.
 * @typedef {{name: string, from: number, to: number}} Phase
 */

/**
 * @typedef {object} Profile
 * @property {ArrayLike<number>} [whole]  of the first nodes of a page, their numbers among all
 * @property {string} rootLabel
 * @property {boolean} folded  some frames were folded by the program to save space
 * @property {number | null} startMs  since the epoch
 * @property {number | null} endMs
 * @property {{value: number, atMs: number} | null} heapPeak  of every allocation, also between two samples
 * @property {Phase[]} phases
 * @property {string | null} failure  the exception that ended the run, '' if it failed in another way; null: it did not
 * @property {Strings} strings
 * @property {Strings} packages  names of packages; the first one is empty
 * @property {Frames} frames
 * @property {Tree} tree
 * @property {Facts} facts
 * @property {Metric[]} metrics
 * @property {string[]} threads      a name for each, never empty
 * @property {string[]} allocators   by number
 * @property {Series[]} series
 * @property {import('./time.js').History | null} history  null: the capture has none, or it did not fit
 * @property {import('./exact.js').Exact | null} exact  of functions, where the tree is an estimate
 * @property {import('./timeorder.js').TimeOrder[] | null} time  what ran when, a metric each; null: unknown
 * @property {import('./heat.js').Heat | null} heat  the same in more detail; null: without a clock, or it did not fit
 */

export const ROOT = 0;

/** Of samples whose thread the profiler did not record. */
export const NO_THREAD = 'thread not recorded';

/** Kinds of frames: bits 0 and 1 of `kind`. */
export const KIND = { PYTHON: 0, NATIVE: 1, KERNEL: 2, OTHER: 3 };

const RUNNER_BIT = 1 << 5;
const IMPORT_BIT = 1 << 6;
const START_BIT = 1 << 7;

/** @param {number} kind */
export const frameKind = (kind) => kind & 3;

/** @param {number} kind */
export const frameOwner = (kind) => (kind >> 2) & 7;

/** @param {number} kind @param {number} owner */
export const withOwner = (kind, owner) => (kind & ~(7 << 2)) | (owner << 2);

/** @param {number} kind */
export const isRunner = (kind) => (kind & RUNNER_BIT) !== 0;

/** Whose code it is: an index into OWNERS, or OWNER_RUNNER. @param {number} kind */
export const ownerOfKind = (kind) => (isRunner(kind) ? OWNER_RUNNER : frameOwner(kind));

/** Also part of a profiler's own start: below the runner it is the runner's. @param {number} kind */
export const isStart = (kind) => (kind & START_BIT) !== 0;

/** Whether a frame right below the runner's is part of it. @param {number} kind */
export const isBelowRunner = (kind) =>
    isStart(kind) || (frameKind(kind) === KIND.NATIVE && frameOwner(kind) === OWNERS.indexOf('native'));

/** @param {number} kind */
export const isImport = (kind) => (kind & IMPORT_BIT) !== 0;

/**
 * @param {Strings} strings
 * @param {number} i
 */
export function stringAt(strings, i) {
    return strings.text.slice(strings.at[i], strings.at[i + 1]);
}

/**
 * The depth of each node, by one forward loop; the root has 0.
 * @param {Uint32Array} parent
 * @returns {Uint32Array}
 */
export function depthsOf(parent) {
    const depth = new Uint32Array(parent.length);
    for (let n = 1; n < parent.length; n++) depth[n] = depth[parent[n]] + 1;
    return depth;
}

/**
 * The subtree ranges of a depth-first tree, by one backward loop: a node ends where its last child does.
 * @param {Uint32Array} parent
 * @returns {Uint32Array}
 */
export function subtreeEnds(parent) {
    const end = new Uint32Array(parent.length);
    for (let n = parent.length - 1; n > ROOT; n--) {
        end[n] ||= n + 1;
        end[parent[n]] ||= end[n];
    }
    end[ROOT] = parent.length;
    return end;
}
