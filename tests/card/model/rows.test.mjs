// SPDX-License-Identifier: Apache-2.0
/* The table: groups, sums that count a function once per stack, order, filters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { makeGraph } from '../../../assets/src/model/graph.js';
import { orderBy, rankStrings } from '../../../assets/src/model/order.js';
import { stringAt } from '../../../assets/src/model/profile.js';
import { filterRows, makeRows, makeSorter } from '../../../assets/src/model/rows.js';
import { parseAmount } from '../../../assets/src/view/amount.js';
import { profileOf, randomStacks, randomly } from '../support/profile.mjs';

function rowsOf(stacks, by) {
    const profile = profileOf(stacks, { threads: ['a', 'b', 'c'] });
    const graph = makeGraph(profile, { split: false, lines: true, runner: false, hide: [] });
    const rows = makeRows(profile, graph, sumUp(graph, profile.metrics[0], null), by);
    const name = (row) =>
        stringAt(profile.strings, profile.frames[by === 'file' ? 'file' : 'function'][rows.frame[row]]);
    return { profile, rows, name };
}

test('a function counts once for each stack, however often it is on it', () => {
    const { rows, name } = rowsOf(
        [
            ['f > g > f', 10],
            ['f', 1],
            ['g', 2],
        ],
        'function',
    );
    const table = Array.from(rows.frame.keys(), (row) => [name(row), rows.self[row], rows.total[row]]);
    assert.deepEqual(table.sort(), [
        ['f', 11, 11],
        ['g', 2, 12],
    ]);
});

test('lines and files group as they say', () => {
    const stacks = [
        ['f@m.py:1', 1],
        ['f@m.py:2', 2],
        ['g@m.py:2', 4],
        ['h@n.py:1 > f@m.py:1', 8],
    ];
    assert.equal(rowsOf(stacks, 'line').rows.count, 4);
    assert.equal(rowsOf(stacks, 'function').rows.count, 3);
    const { rows, name } = rowsOf(stacks, 'file');
    assert.deepEqual(Array.from(rows.frame.keys(), (row) => [name(row), rows.self[row], rows.total[row]]).sort(), [
        ['m.py', 15, 15],
        ['n.py', 0, 8],
    ]);
});

test('selves add up to the total, and no total is larger', () => {
    for (let seed = 1; seed <= 10; seed++) {
        for (const by of ['function', 'line', 'file']) {
            const stacks = randomStacks(seed, 300).filter(([path]) => path !== '');
            const { profile, rows } = rowsOf(stacks, by);
            assert.equal(
                rows.self.reduce((a, b) => a + b, 0),
                profile.metrics[0].total,
            );
            assert.ok(rows.total.every((total, row) => total >= rows.self[row] && total <= profile.metrics[0].total));
        }
    }
});

test('sorting by a column is what sorting by comparison is, and stable', () => {
    const random = randomly(7);
    for (const most of [1, 10, 70_000, 2 ** 31, 2 ** 40]) {
        const keys = Float64Array.from({ length: 2000 }, () => (random(2 ** 16) * 2 ** 24 + random(2 ** 24)) % most);
        const plain = Array.from(keys.keys());
        assert.deepEqual(
            [...orderBy(keys, false)],
            plain.slice().sort((a, b) => keys[a] - keys[b] || a - b),
        );
        assert.deepEqual(
            [...orderBy(keys, true)],
            plain.slice().sort((a, b) => keys[b] - keys[a] || a - b),
        );
    }
    assert.equal(orderBy([], true).length, 0);
});

test('names sort without regard to capitals', () => {
    const { strings } = profileOf([
        ['b', 1],
        ['A', 1],
        ['a', 1],
        ['C', 1],
    ]);
    const rank = rankStrings(strings, stringAt);
    const names = Array.from({ length: strings.at.length - 1 }, (_, i) => stringAt(strings, i)).sort();
    const order = Array.from(rank.keys())
        .sort((a, b) => rank[a] - rank[b])
        .map((i) => stringAt(strings, i));
    assert.deepEqual(
        order.filter((s) => 'AabC'.includes(s) && s),
        ['A', 'a', 'b', 'C'],
    );
    assert.equal(names.length, order.length);
});

test('filters: names, files, owners, least values, the runner', () => {
    const { profile, rows, name } = rowsOf(
        [
            ['Load@io.py', 5],
            ['lib:load@np/core.py', 50],
            ['run:loader@runpy.py', 500],
        ],
        'function',
    );
    const all = makeSorter(profile)(rows, 'self', true);
    const pick = (filter) =>
        Array.from(
            filterRows(profile, rows, all, { name: '', file: '', owner: -1, runner: false, least: {}, ...filter }),
            name,
        );
    assert.deepEqual(pick({}), ['load', 'Load']);
    assert.deepEqual(pick({ runner: true }), ['loader', 'load', 'Load']);
    assert.deepEqual(pick({ name: 'LO', file: 'IO.' }), ['Load']);
    assert.deepEqual(pick({ owner: 1 }), ['load']);
    assert.deepEqual(pick({ least: { self: 6 } }), ['load']);
});

test('amounts as people type them', () => {
    const cases = [
        ['10', 'bytes', 10],
        ['1.5 MiB', 'bytes', 1.5 * 2 ** 20],
        ['2k', 'bytes', 2048],
        ['1,000 B', 'bytes', 1000],
        ['3 gb', 'bytes', 3 * 2 ** 30],
        ['200 ms', 'nanoseconds', 2e8],
        ['2', 'nanoseconds', 2e9],
        ['7', '', 7],
        ['', 'bytes', 0],
        ['x', 'bytes', null],
        ['5 parsecs', 'bytes', null],
    ];
    for (const [typed, unit, value] of cases) assert.equal(parseAmount(typed, unit), value, typed);
});
