// SPDX-License-Identifier: Apache-2.0
/* What the lines of a file hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../assets/src/model/code.js';

/** A tree of [parent, file, line, self], whose first node is the root. */
function makeTree(nodes) {
    const all = [[0, 0, 0, 0], ...nodes];
    const total = all.map(([, , , self]) => self);
    const end = all.map((_, n) => n + 1);
    for (let n = all.length - 1; n > 0; n--) {
        total[all[n][0]] += total[n];
        end[all[n][0]] = Math.max(end[all[n][0]], end[n]);
    }
    const text = 'a.pyb.py';
    return {
        profile: {
            strings: { text, at: Uint32Array.of(0, 4, 8) },
            frames: { count: all.length, file: all.map(([, file]) => file), line: all.map(([, , line]) => line) },
        },
        graph: { count: all.length, frame: all.map((_, n) => n), end },
        sums: { total, self: all.map(([, , , self]) => self) },
    };
}
const figures = ({ profile, graph, sums }, file) =>
    [...linesOf(profile, graph, sums, file)].map(([line, { total, self, node }]) => [line, total, self, node]);

test('each line has its own and all that it called, the heaviest frame leads', () => {
    const tree = makeTree([
        [0, 0, 3, 1],
        [1, 1, 7, 10],
        [1, 0, 5, 2],
        [0, 0, 3, 40],
    ]);
    assert.deepEqual(figures(tree, 'a.py'), [
        [3, 53, 41, 4],
        [5, 2, 2, 3],
    ]);
    assert.deepEqual(figures(tree, 'b.py'), [[7, 10, 10, 2]]);
    assert.deepEqual(figures(tree, 'c.py'), []);
});

test('a recursion counts once, whatever is between its turns', () => {
    const tree = makeTree([
        [0, 0, 3, 1],
        [1, 1, 7, 10],
        [2, 0, 3, 5],
        [3, 0, 3, 4],
        [0, 0, 3, 100],
    ]);
    assert.deepEqual(figures(tree, 'a.py'), [[3, 120, 110, 5]]);
});
