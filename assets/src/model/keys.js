// SPDX-License-Identifier: Apache-2.0
/*
 * Frames in addresses: a node's number means another function once a capture is rendered anew, its path does not. A
 * node is written as "PATH.NAME", hashes of the names from the root down and of its own name, and a frame as "NAME";
 * where several have the same hash, "-2" is the second one. Of a file only its own name counts, as the folders differ
 * from machine to machine.
 *
 * If the path is not there any more, the heaviest node of that name is meant.
 */
import { fileName } from '../lib/text.js';
import { heaviestNode, pathTo } from './calltree.js';
import { ROOT, stringAt } from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./graph.js').Graph} Graph */

const SEED = 0x811c9dc5;

/** FNV-1a, a step of 32 bits. @param {number} hash @param {number} value */
const mix = (hash, value) => Math.imul(hash ^ value, 0x01000193) >>> 0;

/** @param {string} text */
function hashOf(text) {
    let hash = SEED;
    for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
    // The last letters reach all bits.
    return mix(mix(hash, hash >>> 15), hash >>> 7);
}

/** @param {string} hash @param {number} place */
const keyOf = (hash, place) => (place > 1 ? `${hash}-${place}` : hash);

/**
 * The item that a key means; -1 = none.
 * @param {Uint32Array} column
 * @param {number} hash
 * @param {number} place
 * @param {(at: number) => boolean} [isIt]  what else must hold of those that count
 */
function find(column, hash, place, isIt = () => true) {
    let at = -1;
    for (let left = place; left > 0 && (at = column.indexOf(hash, at + 1)) >= 0; ) if (isIt(at)) left--;
    return at;
}

/** @param {string | undefined} text  in base 36 */
const number = (text) => parseInt(text ?? '', 36);

/** @type {WeakMap<Profile, ReturnType<typeof createKeys>>} */
const known = new WeakMap();

/** The keys of a profile; hashes are made when they are asked for. @param {Profile} profile */
export function keysOf(profile) {
    const keys = known.get(profile) ?? createKeys(profile);
    known.set(profile, keys);
    return keys;
}

/** @param {Profile} profile */
function createKeys(profile) {
    const { frames, strings } = profile;
    let names = /** @type {Uint32Array | null} */ (null);
    const paths = /** @type {WeakMap<Graph, Uint32Array>} */ (new WeakMap());

    /** A hash for each frame. */
    function namesOf() {
        const files = /** @type {Map<number, number>} */ (new Map());
        return (names ??= frames.function.map((name, f) => {
            const file = frames.file[f];
            if (!files.has(file)) files.set(file, hashOf(fileName(stringAt(strings, file))));
            return mix(hashOf(stringAt(strings, name)), files.get(file) ?? 0);
        }));
    }

    /** @param {Graph} graph @param {number} node */
    function nameAt({ frame, extras, smaller }, node) {
        const f = frame[node];
        if (smaller[node]) return SEED;
        if (f < frames.count) return namesOf()[f];
        const { what, label } = extras[f - frames.count];
        return hashOf(what === 'thread' ? label : what);
    }

    /**
     * The hash of the path to a node.
     * @param {Graph} graph @param {number} node @param {boolean} lines @param {number} above  its parent's
     */
    function pathAt(graph, node, lines, above) {
        const f = graph.frame[node];
        return mix(mix(above, nameAt(graph, node)), lines && f < frames.count ? frames.line[f] : 0);
    }

    /** A hash for each node, of its path. @param {Graph} graph @param {boolean} lines  each line is a frame */
    function pathsOf(graph, lines) {
        const before = paths.get(graph);
        if (before) return before;
        const made = new Uint32Array(graph.count);
        made[ROOT] = SEED;
        for (let n = ROOT + 1; n < graph.count; n++) made[n] = pathAt(graph, n, lines, made[graph.parent[n]]);
        paths.set(graph, made);
        return made;
    }

    return {
        /** @param {number} frame */
        ofFrame(frame) {
            const names = namesOf();
            const alike = names.subarray(0, frame + 1).filter((name) => name === names[frame]);
            return keyOf(names[frame].toString(36), alike.length);
        },

        /** -1 = unknown. @param {string} key */
        frame(key) {
            const [, hash, place = '1'] = /^(\w{1,7})(?:-(\d{1,9}))?$/.exec(key) ?? [];
            return hash ? find(namesOf(), number(hash), Number(place)) : -1;
        },

        /**
         * Only what is next to its path is looked at: a tree may have millions of nodes.
         * @param {Graph} graph @param {number} node @param {boolean} lines
         */
        ofNode(graph, node, lines) {
            const { end } = graph;
            let hash = SEED;
            /** What has the same path, up to the node. */
            let alike = [ROOT];
            for (const step of pathTo(graph, node)) {
                const above = hash;
                const next = /** @type {number[]} */ ([]);
                hash = pathAt(graph, step, lines, above);
                for (const up of alike) {
                    for (let child = up + 1; child < end[up] && child <= node; child = end[child])
                        if (pathAt(graph, child, lines, above) === hash) next.push(child);
                }
                alike = next;
            }
            return keyOf(`${hash.toString(36)}.${nameAt(graph, node).toString(36)}`, alike.length);
        },

        /**
         * ROOT = unknown.
         * @param {Graph} graph
         * @param {string} key
         * @param {boolean} lines
         * @param {() => Float64Array} totals  [node] what decides between nodes of one name
         */
        node(graph, key, lines, totals) {
            const [, path, name, place = '1'] = /^(\w{1,7})\.(\w{1,7})(?:-(\d{1,9}))?$/.exec(key) ?? [];
            if (!path) return ROOT;
            const isNamed = (/** @type {number} */ n) => nameAt(graph, n) === number(name);
            const exact = find(pathsOf(graph, lines), number(path), Number(place), isNamed);
            return exact > ROOT ? exact : heaviestNode({ total: totals() }, isNamed);
        },
    };
}
