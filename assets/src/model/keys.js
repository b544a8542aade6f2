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

/**
 * How many of a column up to an item are the same as it.
 * @param {Uint32Array} column
 * @param {number} at
 */
function placeAmong(column, at) {
    let place = 1;
    for (let i = 0; i < at; i++) if (column[i] === column[at]) place++;
    return place;
}

/** @param {string} hash @param {number} place */
const keyOf = (hash, place) => (place > 1 ? `${hash}-${place}` : hash);

/**
 * The item that a key means; -1 = none.
 * @param {Uint32Array} column
 * @param {number} hash
 * @param {number} place
 */
function find(column, hash, place) {
    let at = -1;
    for (let left = place; left > 0 && (at = column.indexOf(hash, at + 1)) >= 0; left--);
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

    /** A hash for each node, of its path. @param {Graph} graph @param {boolean} lines  each line is a frame */
    function pathsOf(graph, lines) {
        const before = paths.get(graph);
        if (before) return before;
        const made = new Uint32Array(graph.count);
        made[ROOT] = SEED;
        for (let n = ROOT + 1; n < graph.count; n++) {
            const line = lines && graph.frame[n] < frames.count ? frames.line[graph.frame[n]] : 0;
            made[n] = mix(mix(made[graph.parent[n]], nameAt(graph, n)), line);
        }
        paths.set(graph, made);
        return made;
    }

    return {
        /** @param {number} frame */
        ofFrame: (frame) => keyOf(namesOf()[frame].toString(36), placeAmong(namesOf(), frame)),

        /** -1 = unknown. @param {string} key */
        frame(key) {
            const [, hash, place = '1'] = /^(\w{1,7})(?:-(\d{1,9}))?$/.exec(key) ?? [];
            return hash ? find(namesOf(), number(hash), Number(place)) : -1;
        },

        /** @param {Graph} graph @param {number} node @param {boolean} lines */
        ofNode(graph, node, lines) {
            const hashes = pathsOf(graph, lines);
            const hash = `${hashes[node].toString(36)}.${nameAt(graph, node).toString(36)}`;
            return keyOf(hash, placeAmong(hashes, node));
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
            const exact = find(pathsOf(graph, lines), number(path), Number(place));
            if (exact > ROOT && nameAt(graph, exact) === number(name)) return exact;
            const total = totals();
            let best = ROOT;
            for (let n = ROOT + 1; n < graph.count; n++)
                if (nameAt(graph, n) === number(name) && (best === ROOT || total[n] > total[best])) best = n;
            return best;
        },
    };
}
