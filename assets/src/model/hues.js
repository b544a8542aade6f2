// SPDX-License-Identifier: Apache-2.0
/*
 * Where all code has one owner, the owner's colour says nothing: there the largest packages have colours, or the
 * largest files of one package. In a heap dump these are kinds of objects.
 */
import { OWNER_RUNNER, OWNER_SMALLER } from '../lib/owners.js';
import { inParts } from '../lib/slices.js';
import { sumUp } from './calltree.js';
import { packageName, wholeTree } from './graph.js';
import { frameOwner, isRunner, stringAt } from './profile.js';
import { makeRows } from './rows.js';

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * @typedef {object} Hues
 * @property {number} owner      whose all code is
 * @property {'package' | 'file'} by
 * @property {Uint8Array} of     [frame] number of its colour, from 1; 0 = none
 * @property {string[]} names    by that number
 */

/** The colours that there are. */
export const HUES = 6;

/** @type {WeakMap<Uint8Array, Hues | null>} */
const known = new WeakMap();

/** Whose all code is; -1 = several owners'. @param {Profile} profile */
function onlyOwner({ frames, tree }) {
    let only = -1;
    for (let n = 1; n < tree.count; n++) {
        const kind = frames.kind[tree.frame[n]];
        if (tree.smaller[n] || isRunner(kind)) continue;
        if (only >= 0 && frameOwner(kind) !== only) return -1;
        only = frameOwner(kind);
    }
    return only;
}

/**
 * The largest groups that hold something themselves: roots and labels do not.
 * @param {Profile} profile @param {number} owner @param {'package' | 'file'} by @returns {Hues | null}
 */
function huesBy(profile, owner, by) {
    const { frames, strings } = profile;
    const graph = wholeTree(profile);
    const rows = makeRows(profile, graph, sumUp(graph, profile.metrics[0], null), by);
    const own = Array.from(rows.frame.keys()).filter((row) => rows.self[row] > 0 && rows.owner[row] === owner);
    const largest = own.sort((a, b) => rows.total[b] - rows.total[a]).slice(0, HUES);
    const keys = by === 'package' ? frames.package : frames.file;
    const numbers = new Map(largest.map((row, i) => [keys[rows.frame[row]], i + 1]));
    const nameOf = (/** @type {number} */ f) =>
        by === 'package' ? packageName(profile, f) : stringAt(strings, frames.file[f]).split('/').slice(-1)[0];
    if (numbers.size < 2) return null;
    return {
        owner,
        by,
        of: Uint8Array.from(keys, (key) => numbers.get(key) ?? 0),
        names: ['', ...largest.map((row) => nameOf(rows.frame[row]))],
    };
}

/** @param {Profile} profile @returns {Hues | null}  null = owners have the colours */
export function huesOf(profile) {
    const { kind } = profile.frames;
    let hues = known.get(kind);
    if (hues !== undefined) return hues;
    const owner = profile.metrics.length ? onlyOwner(profile) : -1;
    hues = owner < 0 ? null : (huesBy(profile, owner, 'package') ?? huesBy(profile, owner, 'file'));
    known.set(kind, hues);
    return hues;
}

/**
 * The number of a frame's colour: its owner, or one after those.
 * @param {Profile} profile
 * @param {number} f
 * @param {number} owner
 */
export function colourOf(profile, f, owner) {
    const hues = owner < OWNER_RUNNER ? huesOf(profile) : null;
    return hues?.owner === owner && hues.of[f] ? OWNER_SMALLER + hues.of[f] : owner;
}

/**
 * What a colour after those of owners is for; '' = it is an owner's.
 * @param {Profile} profile
 * @param {number} colour
 */
export const hueName = (profile, colour) =>
    (colour > OWNER_SMALLER && huesOf(profile)?.names[colour - OWNER_SMALLER]) || '';

/**
 * What each colour has by itself, at and below a node.
 * @param {Float64Array} self  [node]
 * @param {{end: Uint32Array}} graph
 * @param {(node: number) => number} colourAt
 * @param {number} top
 */
export function* summingByColour(self, { end }, colourAt, top) {
    const sums = new Float64Array(OWNER_SMALLER + HUES + 1);
    yield* inParts(top, end[top], (from, to) => {
        for (let n = from; n < to; n++) sums[colourAt(n)] += self[n];
    });
    return sums;
}
