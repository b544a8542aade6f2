// SPDX-License-Identifier: Apache-2.0
/* Search: what matches, and its total, with nothing counted twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFrames, sumUp } from '../../../assets/src/model/calltree.js';
import { labelOf, makeGraph } from '../../../assets/src/model/graph.js';
import { layOut } from '../../../assets/src/model/layout.js';
import { brightBoxes, listMatches, matchStrings, parseQuery, search } from '../../../assets/src/model/search.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const SHAPE = { split: false, lines: true, runner: false, hide: [] };

function found(stacks, typed) {
    const profile = profileOf(stacks, { threads: ['a', 'b', 'c'] });
    const graph = makeGraph(profile, SHAPE);
    const sums = sumUp(graph, profile.metrics[0], null);
    return { profile, graph, sums, matches: search(profile, graph, sums, parseQuery(typed)) };
}

test('a part of a name, whatever its capitals', () => {
    const { matches } = found(
        [
            ['Load > parse', 5],
            ['reLOAD', 3],
            ['save', 9],
        ],
        ' load ',
    );
    assert.deepEqual([matches.count, matches.sum], [2, 8]);
});

test('nested matches count once', () => {
    const { matches } = found(
        [
            ['fit > x > fit > y', 5],
            ['fit', 3],
            ['x > fit', 1],
        ],
        'fit',
    );
    assert.deepEqual([matches.count, matches.sum], [3, 9]);
});

test('a longer text that finds the same is searched for no further', () => {
    const { profile, graph, sums, matches } = found(
        [
            ['load_frames > parse', 5],
            ['local@lo.py:1', 3],
        ],
        'LOAD',
    );
    const again = (typed, of = sums) => search(profile, graph, of, parseQuery(typed));
    assert.equal(again('load_f'), matches);
    assert.equal(again('/^load/'), matches);
    assert.notEqual(again('load_f', { ...sums }), matches, 'other amounts');
    assert.deepEqual([again('lo').count, again('lo').sum], [2, 8]);
    assert.equal(again('file:lo').count, 1, 'other names');
    assert.equal(again('loaf').count, 0);
});

test('frames that hold nothing and folded frames do not match', () => {
    const { matches } = found(
        [
            ['small', 0],
            ['a > folded:7 smaller frames', 5],
        ],
        'small',
    );
    assert.deepEqual([matches.count, matches.sum], [0, 0]);
});

test('file: looks at paths, / / is an expression', () => {
    const stacks = [
        ['a@src/io.py:1', 1],
        ['io@src/net.py:2', 2],
        ['b7', 4],
    ];
    assert.equal(found(stacks, 'file: IO.py').matches.sum, 1);
    assert.equal(found(stacks, 'io').matches.sum, 2);
    assert.equal(found(stacks, '/^(io|b\\d)$/').matches.sum, 6);
});

test('what is not a query', () => {
    assert.equal(parseQuery('  '), null);
    assert.equal(parseQuery('file:'), null);
    assert.ok(parseQuery('/(/') instanceof SyntaxError);
    assert.deepEqual(parseQuery('/'), { field: 'function', text: '/' });
});

test('a match does not reach from one name into the next', () => {
    const { strings } = profileOf([
        ['ab', 1],
        ['cd', 1],
        ['xabcd', 1],
    ]);
    assert.deepEqual([...matchStrings(strings, { field: 'function', text: 'bc' })].slice(-4).filter(Boolean).length, 1);
});

test('names whose small letters are longer are found too', () => {
    const { matches } = found(
        [
            ['İstanbul', 1],
            ['after', 2],
        ],
        'after',
    );
    assert.deepEqual([matches.count, matches.sum], [1, 2]);
});

test('matches come heaviest first', () => {
    const { profile, graph, sums, matches } = found(
        [
            ['f1', 5],
            ['f2', 500],
            ['g > f3', 70_000],
        ],
        'f',
    );
    assert.deepEqual(
        Array.from(listMatches(matches, sums), (n) => labelOf(profile, graph, n).name),
        ['f3', 'f2', 'f1'],
    );
});

test('the sum is that of stacks with a match, the fast way and the plain way alike', () => {
    for (let seed = 1; seed <= 20; seed++) {
        const stacks = randomStacks(seed, 300);
        const { matches } = found(stacks, 'f3');
        const plain = stacks.reduce((sum, [path, value]) => sum + (/\bf3@/.test(path) ? value : 0), 0);
        assert.equal(matches.sum, plain);
    }
});

test('a box of smaller frames stays bright when a match is in it', () => {
    const { graph, sums, matches } = found(
        [
            ['a > needle', 1],
            ['a > tiny', 1],
            ['b > tiny', 1],
            ['b > big', 900],
            ['a > large', 900],
        ],
        'needle',
    );
    const layout = layOut(graph, sums, countFrames(graph, sums), { top: 0, width: 100, minWidth: 3 });
    const bright = brightBoxes(matches, graph, layout);
    const small = Array.from(layout.smaller.keys()).filter((box) => layout.smaller[box]);
    assert.deepEqual(
        small.map((box) => [layout.smaller[box], bright[box]]),
        [
            [2, 1],
            [1, 0],
        ],
    );
    assert.equal(
        bright.reduce((a, b) => a + b),
        1,
    );
});

test('a match that is out of view is not in the folded frames that are in view', () => {
    const stacks = [
        ['main > needle', 50],
        ['main > x', 49],
        ['main > tiny', 1],
    ];
    const { graph, sums, matches } = found(stacks, 'needle');
    const view = { top: 0, width: 100, scale: 2, from: 120, minWidth: 3 };
    const layout = layOut(graph, sums, countFrames(graph, sums), view);
    assert.deepEqual([...layout.away].map((node) => graph.end[node] - node), [1]);
    const folded = layout.smaller.findIndex((many) => many > 0);
    assert.equal(layout.smaller[folded], 1);
    assert.equal(brightBoxes(matches, graph, layout)[folded], 0);
});
