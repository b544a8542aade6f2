// SPDX-License-Identifier: Apache-2.0
/* What the lines of a file hold. */
import { stringAt } from './profile.js';

/** @typedef {{total: number, self: number, node: number}} Line  node: the heaviest of its frames */

/**
 * The lines of a file that are in a tree. A line counts once for each stack that it is on, however often it occurs
 * there and whatever the function is called.
 * @param {import('./profile.js').Profile} profile
 * @param {import('./graph.js').Graph} graph  every frame with its line
 * @param {import('./calltree.js').Sums} sums
 * @param {string} file
 * @returns {Map<number, Line>} by line
 */
export function linesOf({ frames, strings }, graph, sums, file) {
    const lines = /** @type {Map<number, Line & {heaviest: number, open: number}>} */ (new Map());
    const isFile = /** @type {Map<number, boolean>} */ (new Map());
    const stack = /** @type {number[]} */ ([]);
    const lineOf = (/** @type {number} */ node) => {
        const frame = graph.frame[node];
        if (frame >= frames.count) return 0;
        const string = frames.file[frame];
        if (!isFile.has(string)) isFile.set(string, stringAt(strings, string) === file);
        return isFile.get(string) ? frames.line[frame] : 0;
    };
    for (let node = 1; node < graph.count; node++) {
        while (stack.length && graph.end[stack[stack.length - 1]] <= node) {
            const left = lines.get(lineOf(/** @type {number} */ (stack.pop())));
            if (left) left.open--;
        }
        const number = lineOf(node);
        if (!number) continue;
        let line = lines.get(number);
        if (!line) lines.set(number, (line = { total: 0, self: 0, node, heaviest: 0, open: 0 }));
        if (!line.open++) line.total += sums.total[node];
        line.self += sums.self[node];
        if (sums.total[node] > line.heaviest) Object.assign(line, { node, heaviest: sums.total[node] });
        stack.push(node);
    }
    return new Map([...lines].filter(([, line]) => line.total > 0).sort(([a], [b]) => a - b));
}
