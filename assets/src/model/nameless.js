// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that Python gives no name: comprehensions, generators and lambdas. The program says in words what they are,
 * and in which function their body is where that is known: capture/model/nameless.h.
 */

/** @typedef {import('./profile.js').Profile} Profile */

/** @param {Pick<Profile, 'frames'>} profile @param {number} f */
export const isNameless = ({ frames }, f) => frames.shown[f] > 0;

/**
 * Whether a frame's function is among strings that match, by its name as recorded or in words.
 * @param {Pick<Profile, 'frames'>} profile
 * @param {Uint8Array} matches  [string]
 * @param {number} f
 */
export const isMatched = ({ frames }, matches, f) =>
    matches[frames.function[f]] || (frames.shown[f] && matches[frames.shown[f]]);

/** What is between the function around one and what it is. */
const INSIDE = ' \u203a ';

/**
 * A name by which two runs have the same function, as Python itself qualifies it: "parse.<locals>.<listcomp>".
 * @param {string} name   as recorded
 * @param {string} shown  in words
 */
export function qualified(name, shown) {
    const [around, kind] = shown.split(INSIDE);
    return kind && name.startsWith('<') ? `${around}.<locals>.${name}` : name;
}
