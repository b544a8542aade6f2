// SPDX-License-Identifier: Apache-2.0
/* Sums over a graph: choose facts, add them to their nodes, add the nodes up. One forward and one backward loop. */
import { OWNER_NONE, OWNER_RUNNER, OWNER_SMALLER } from '../lib/owners.js';
import { KIND, ROOT, frameKind, isBelowRunner, ownerOfKind } from './profile.js';
import { inParts } from '../lib/slices.js';
import { Heaviest } from './order.js';

/** @typedef {import('./graph.js').Graph} Graph */
/** @typedef {import('./profile.js').Profile} Profile */

/**
 * What each node holds by itself and with all below it.
 * @typedef {object} Sums
 * @property {Float64Array} self        [node], in the unit of the metric
 * @property {Float64Array} total
 * @property {Float64Array} selfCount   summed up when first asked for; zeros where the metric has no count
 * @property {Float64Array} totalCount
 *
 * @typedef {Pick<Sums, 'total'>} Totals
 */

/**
 * @param {Graph} graph
 * @param {import('./profile.js').Metric} metric
 * @param {Uint8Array | null} wanted  [fact] 1 = counts; null = all do
 * @returns {Sums}
 */
export function sumUp(graph, metric, wanted) {
    const [self, total] = column(graph, metric.value, wanted);
    /** @type {Float64Array[] | undefined} */
    let counts;
    const counted = () => (counts ??= column(graph, metric.count, wanted));
    return {
        self,
        total,
        get selfCount() {
            return counted()[0];
        },
        get totalCount() {
            return counted()[1];
        },
    };
}

/**
 * @param {Graph} graph
 * @param {Float64Array | null} values
 * @param {Uint8Array | null} wanted
 */
function column({ count, parent, leaf }, values, wanted) {
    const self = new Float64Array(count);
    if (!values) return [self, self];
    for (let i = 0; i < values.length; i++) if (!wanted || wanted[i]) self[leaf[i]] += values[i];
    const total = self.slice();
    for (let n = count - 1; n > 0; n--) total[parent[n]] += total[n];
    return [self, total];
}

/**
 * Sums of counts before each node: the frames in a subtree [n, end) that hold something are at[end] - at[n].
 * @param {Graph} graph
 * @param {Sums} sums
 */
export function countFrames({ count, smaller }, { total }) {
    const before = new Uint32Array(count + 1);
    for (let n = 0; n < count; n++) before[n + 1] = before[n] + (n === ROOT || total[n] <= 0 ? 0 : smaller[n] || 1);
    return before;
}

/**
 * The children of a node that hold something, the heaviest first.
 * @param {Graph} graph
 * @param {Totals} sums
 * @param {number} node
 * @param {number} [most]  how many of them
 */
export function heaviestChildren({ end }, { total }, node, most = Infinity) {
    const heaviest = new Heaviest(most, total);
    for (let child = node + 1; child < end[node]; child = end[child]) heaviest.put(child);
    return heaviest.list();
}

/**
 * The same, with how many children hold something, and how much: in one pass, as there may be a million.
 * @param {Graph} graph
 * @param {Sums} sums
 * @param {number} node
 * @param {number} most
 * @param {Float64Array} [weight]  what sorts them
 */
export function sumChildren({ end }, { total }, node, most, weight = total) {
    const heaviest = new Heaviest(most, weight);
    let count = 0;
    let sum = 0;
    for (let child = node + 1; child < end[node]; child = end[child]) {
        if (total[child] <= 0) continue;
        heaviest.put(child);
        count++;
        sum += total[child];
    }
    return { heaviest: heaviest.list(), count, sum };
}

/**
 * The sibling right after a node among those that hold something, by weight, or with a step of -1 right before it;
 * ROOT = none.
 * @param {Graph} graph
 * @param {Sums} sums
 * @param {number} node
 * @param {1 | -1} step
 */
export function siblingOf({ end, parent }, { total }, node, step) {
    const places = (/** @type {number} */ a, /** @type {number} */ b) => step * (total[b] - total[a] || a - b);
    let next = ROOT;
    for (let other = parent[node] + 1; other < end[parent[node]] && node !== ROOT; other = end[other]) {
        if (total[other] > 0 && places(node, other) < 0 && (next === ROOT || places(other, next) < 0)) next = other;
    }
    return next;
}

/**
 * The heaviest of the wanted nodes, the first of several; ROOT if none.
 * @param {Totals} sums
 * @param {(node: number) => boolean} isWanted
 */
export function heaviestNode({ total }, isWanted) {
    let best = ROOT;
    for (let node = ROOT + 1, most = 0; node < total.length; node++) {
        if (total[node] > most && isWanted(node)) most = total[(best = node)];
    }
    return best;
}

/**
 * The last node that more than half of everything goes through; ROOT if none.
 * @param {Graph} graph
 * @param {Totals} sums
 */
export function deepestOfMost(graph, sums) {
    for (let best = ROOT; ; ) {
        const [next] = heaviestChildren(graph, sums, best);
        if (!next || sums.total[next] * 2 <= sums.total[ROOT]) return best;
        best = next;
    }
}

/**
 * The nodes from the first below the root down to NODE; the root's own path is empty.
 * @param {Graph} graph
 * @param {number} node
 */
export function pathTo({ parent }, node) {
    const path = /** @type {number[]} */ ([]);
    for (let n = node; n !== ROOT; n = parent[n]) path.push(n);
    return path.reverse();
}

/** After the sums of owners: what of them native code holds, and counts for the function that called it. */
export const LENT = OWNER_SMALLER + 1;

/** Added to an owner: the node's own code is native, and counts for it. */
const IS_LENT = 0x80;

/**
 * Whose each node is. Below an interpreter, native and kernel frames count for the nearest script's frame above them:
 * all allocations end in malloc, which does not show whose they are.
 * @param {Profile} profile
 * @param {Graph} graph
 * @returns {Generator<undefined, Uint8Array>} [node] an owner, with or without IS_LENT
 */
export function* findingOwners({ frames }, { parent, frame, smaller, count }) {
    const answers = new Uint8Array(count);
    const isNative = !frames.kind.some((kind) => frameKind(kind) === KIND.PYTHON);
    const owners = frames.kind.map(ownerOfKind);
    const asks = frames.kind.map((kind) =>
        Number(!isNative && [KIND.NATIVE, KIND.KERNEL].includes(frameKind(kind))),
    );
    yield* inParts(1, count, (from, to) => {
        for (let n = from; n < to; n++) {
            const f = frame[n];
            const above = answers[parent[n]] & ~IS_LENT;
            const isLent = asks[f] && !smaller[n] && parent[n] !== ROOT && above !== OWNER_RUNNER;
            const isStarting = above === OWNER_RUNNER && f < frames.count && isBelowRunner(frames.kind[f]);
            answers[n] = isLent
                ? above | IS_LENT
                : smaller[n]
                  ? OWNER_SMALLER
                  : isStarting
                    ? OWNER_RUNNER
                    : (owners[f] ?? OWNER_RUNNER);
        }
    });
    answers[ROOT] = OWNER_NONE; // samples without a stack
    return answers;
}

/**
 * What each owner of code holds by itself, by number of owner, at and below a node.
 * @param {Uint8Array} owners  of each node, as found by findingOwners
 * @param {Float64Array} self  [node]
 * @param {number} top
 * @param {number} end         of its subtree
 * @param {Uint32Array | null} [image]  [node] where top and end belong to another tree: its place there
 * @returns {Generator<undefined, Float64Array>} [owner], and LENT
 */
export function* summingByOwner(owners, self, top, end, image = null) {
    const sum = new Float64Array(LENT + 1);
    yield* inParts(image ? ROOT : top, image ? self.length : end, (from, to) => {
        for (let n = from; n < to; n++) {
            if (image && (image[n] < top || image[n] >= end)) continue;
            sum[owners[n] & ~IS_LENT] += self[n];
            if (owners[n] & IS_LENT) sum[LENT] += self[n];
        }
    });
    return sum;
}
