// SPDX-License-Identifier: Apache-2.0
/*
 * Straight chains: frames that each called one other, which holds the same. A picture shows a chain in one row. The
 * graph keeps every frame: what is selected, searched, linked to and saved does not depend on what is drawn.
 */
import { MINE, OWNERS } from '../lib/owners.js';
import { ownerOf } from './graph.js';
import { isOneFunction } from './groups.js';
import { ROOT } from './profile.js';

/** @typedef {import('./graph.js').Graph} Graph */
/** @typedef {import('./profile.js').Profile} Profile */

/** A frame may hold this share by itself and still be "the same" as the one that it called. */
const TRIFLE = 0.001;
/** Frames of others are a row of their own up to this many; a function that calls itself never is. */
const FEW = 2;

/**
 * For a frame the last one of its chain; itself, where it is in none. A chain is a function that calls itself, or at
 * least three frames none of which is the user's.
 * @param {Profile} profile
 * @param {Graph} graph
 * @param {import('./calltree.js').Sums} sums
 * @returns {(node: number) => number}
 */
export function chains(profile, graph, { total }) {
    const { frames } = profile;
    const { end, frame, smaller } = graph;

    /** The only frame below one that holds anything, if it holds the same; ROOT = none. @param {number} node */
    function next(node) {
        let only = ROOT;
        for (let child = node + 1; child < end[node]; child = end[child]) {
            if (total[child] <= 0) continue;
            if (only !== ROOT) return ROOT;
            only = child;
        }
        return only !== ROOT && !smaller[only] && total[node] - total[only] <= TRIFLE * total[node] ? only : ROOT;
    }

    /** @param {number} a @param {number} b */
    const isSame = (a, b) => {
        const [f, g] = [frame[a], frame[b]];
        if (f >= frames.count || g >= frames.count) return false;
        return isOneFunction(frames, f, g);
    };
    const isOthers = (/** @type {number} */ node) => {
        const owner = ownerOf(profile, graph, node);
        return owner < OWNERS.length && owner !== MINE;
    };

    /** @param {number} node @param {(a: number, b: number) => boolean} goesOn */
    function follow(node, goesOn) {
        let last = node;
        let length = 1;
        for (let below = next(node); below !== ROOT && goesOn(last, below); below = next(below)) {
            last = below;
            length++;
        }
        return { last, length };
    }

    return (node) => {
        if (node === ROOT || smaller[node]) return node;
        if (isOthers(node)) {
            const { last, length } = follow(node, (_, below) => isOthers(below));
            if (length > FEW) return last;
        }
        return follow(node, isSame).last;
    };
}

/**
 * How many frames there are from one down to another below it.
 * @param {Graph} graph
 * @param {number} first
 * @param {number} last
 */
export function chainLength({ parent }, first, last) {
    let length = 1;
    for (let node = last; node > first; node = parent[node]) length++;
    return length;
}

/**
 * What a chain is called: a function and how often it calls itself, or how many frames there are, from which to which.
 * @param {{graph: () => Graph, label: (node: number) => import('./graph.js').Label}} shown
 * @param {number} first
 * @param {number} last
 * @returns {{name: string, suffix: string} | null} null: it is one frame
 */
export function chainName({ graph, label }, first, last) {
    if (first === last) return null;
    const many = chainLength(graph(), first, last);
    const [from, to] = [label(first), label(last)];
    return from.name === to.name && from.file === to.file
        ? { name: `${from.name} \u00d7${many}`, suffix: '' }
        : { name: `\u25b8 ${many} frames`, suffix: `  ${from.name} \u2026 ${to.name}` };
}
