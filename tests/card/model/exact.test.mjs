// SPDX-License-Identifier: Apache-2.0
/* Exact figures next to an estimated tree: rows show them, for the visible threads and groups. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { exactByFrame } from '../../../assets/src/model/exact.js';
import { makeGraph } from '../../../assets/src/model/graph.js';
import { stringAt } from '../../../assets/src/model/profile.js';
import { makeRows } from '../../../assets/src/model/rows.js';
import { profileOf } from '../support/profile.mjs';

/** main calls f and g of one file; `lost` has figures but is not in the tree. */
function estimated() {
    const profile = profileOf([
        ['main@a.py > f@b.py', 60],
        ['main@a.py > std:g@b.py', 30],
        ['lost@c.py', 0],
    ]);
    const nameOf = (f) => stringAt(profile.strings, profile.frames.function[f]);
    const frames = new Map(Array.from(profile.frames.function.keys(), (f) => [nameOf(f), f]));
    const figures = (...numbers) => Float64Array.from(numbers);
    profile.exact = {
        frame: Uint32Array.from(['main', 'f', 'g', 'lost', 'f'], (name) => frames.get(name)),
        thread: Uint32Array.of(0, 0, 0, 0, 1),
        of: [
            {
                self: figures(1, 55, 33, 7, 100),
                total: figures(90, 56, 34, 7, 101),
                selfCount: figures(1, 2, 3, 4, 5),
                totalCount: figures(1, 2, 3, 4, 5),
            },
            null,
        ],
    };
    return profile;
}

function rowsOf(profile, by, { metric = 0, threads = null, hide = [] } = {}) {
    const graph = makeGraph(profile, { split: false, lines: true, runner: false, hide });
    const exact = exactByFrame(profile, metric, threads, hide);
    const rows = makeRows(profile, graph, sumUp(graph, profile.metrics[metric], null), by, exact);
    return Object.fromEntries(
        Array.from(rows.frame, (f, row) => [
            stringAt(profile.strings, (by === 'file' ? profile.frames.file : profile.frames.function)[f]),
            [rows.self[row], rows.total[row], rows.selfCount[row]],
        ]),
    );
}

test('a row of a function has its exact figures, of all threads or of some, also if it is nowhere in the tree', () => {
    const profile = estimated();
    assert.deepEqual(rowsOf(profile, 'function'), {
        main: [1, 90, 1],
        f: [155, 157, 7],
        g: [33, 34, 3],
        lost: [7, 7, 4],
    });
    assert.deepEqual(rowsOf(profile, 'line', { threads: [0] }).f, [55, 56, 2]);
});

test('what several functions took together is not recorded: a file has the total of the tree', () => {
    assert.deepEqual(rowsOf(estimated(), 'file'), {
        'a.py': [1, 90, 1],
        'b.py': [188, 188, 10], // at least what they took by themselves
        'c.py': [7, 7, 4],
    });
});

test('groups that are hidden have no rows, and a metric without exact figures is that of the tree', () => {
    const profile = estimated();
    assert.deepEqual(Object.keys(rowsOf(profile, 'function', { hide: ['stdlib'] })).sort(), ['f', 'lost', 'main']);
    assert.equal(exactByFrame(profile, 1, null, []), null);
    assert.equal(exactByFrame(profileOf([['main', 1]]), 0, null, []), null);
});
