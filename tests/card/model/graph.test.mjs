// SPDX-License-Identifier: Apache-2.0
/* Graphs keep the total, whatever is split, hidden or joined. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../assets/src/lib/slices.js';
import {
    deepestOfMost,
    findingOwners,
    heaviestChildren,
    heaviestNode,
    LENT,
    summingByOwner,
    sumUp,
} from '../../../assets/src/model/calltree.js';
import { factsOfThreads, sumBy } from '../../../assets/src/model/filter.js';
import { labelOf, linesOf, makeGraph, nodeFor } from '../../../assets/src/model/graph.js';
import { subtreeEnds } from '../../../assets/src/model/profile.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const sumByOwner = (profile, graph, { self }) =>
    finish(summingByOwner(finish(findingOwners(profile, graph)), self, 0, graph.count));

const PLAIN = { split: false, lines: true, runner: false, hide: [] };

/** The graph as nested text: name value(self), children heaviest first. */
function picture(profile, graph, sums) {
    const lines = [];
    const draw = (node, depth) => {
        lines.push(
            `${'  '.repeat(depth)}${labelOf(profile, graph, node).name} ${sums.total[node]} (${sums.self[node]})`,
        );
        heaviestChildren(graph, sums, node).forEach((child) => draw(child, depth + 1));
    };
    draw(0, 0);
    return lines.join('\n');
}

function shown(stacks, shape, more) {
    const profile = profileOf(stacks, more);
    const graph = makeGraph(profile, { ...PLAIN, ...shape });
    return picture(profile, graph, sumUp(graph, profile.metrics[0], null));
}

test('totals add up the tree', () => {
    assert.equal(
        shown(
            [
                ['a > b', 5],
                ['a', 1],
                ['a > c', 7],
                ['', 2],
            ],
            {},
        ),
        'all threads 15 (2)\n  a 13 (1)\n    c 7 (7)\n    b 5 (5)',
    );
});

test('threads are split below the root, each with its own frames', () => {
    const stacks = [
        ['a > b', 5],
        ['a > b', 3, { thread: 1 }],
        ['a', 1, { thread: 1 }],
    ];
    assert.equal(
        shown(stacks, { split: true }, { threads: ['main', 'worker'] }),
        'all threads 9 (0)\n  main 5 (0)\n    a 5 (0)\n      b 5 (5)\n  worker 4 (0)\n    a 4 (1)\n      b 3 (3)',
    );
});

test('the runner becomes one box at the root; a single frame of it inside my code stays', () => {
    const stacks = [
        ['run:x > run:y > main > run:z', 4],
        ['run:x > run:y', 1],
        ['run:w > main', 2],
    ];
    assert.equal(
        shown(stacks, { runner: true }),
        'all threads 7 (0)\n  3 start-up frames 7 (1)\n    main 6 (2)\n      z 4 (4)',
    );
});

test('what runs coroutines and test functions is one box inside my code', () => {
    assert.equal(
        shown([['main > run:run_forever > run:_run_once > run:_run > handler', 4]], { runner: true }),
        'all threads 4 (0)\n  main 4 (0)\n    3 start-up frames 4 (0)\n      handler 4 (4)',
    );
});

test("what a profiler's own start shares with the program is in the box, and a frame of the program elsewhere", () => {
    const stacks = [
        ['run:memray > start:re > start:compile', 3],
        ['run:memray > main > start:re', 2],
    ];
    assert.equal(
        shown(stacks, { runner: true }),
        'all threads 5 (0)\n  3 start-up frames 5 (3)\n    main 2 (0)\n      re 2 (2)',
    );
});

test('native code between frames of the runner is in its box, that of my code is not', () => {
    const stacks = [
        ['run:x > native:call > run:y > native:exec > main > native:malloc', 4],
        ['run:x > native:malloc', 1],
        ['native:start > main', 2],
    ];
    assert.equal(
        shown(stacks, { runner: true }),
        'all threads 7 (0)\n  5 start-up frames 5 (1)\n    main 4 (0)\n      malloc 4 (4)\n' +
            '  start 2 (0)\n    main 2 (2)',
    );
});

test('each thread has its own box of the runner', () => {
    const stacks = [
        ['run:x > a', 4],
        ['run:x > a', 2, { thread: 1 }],
    ];
    assert.equal(
        shown(stacks, { runner: true, split: true }, { threads: ['main', 'worker'] }),
        'all threads 6 (0)\n  main 4 (0)\n    1 start-up frame 4 (0)\n      a 4 (4)\n' +
            '  worker 2 (0)\n    1 start-up frame 2 (0)\n      a 2 (2)',
    );
});

test('what is hidden counts for the frame above it', () => {
    const stacks = [
        ['a > imp:i > imp:j > b', 3],
        ['a > imp:i', 2],
        ['a > b', 4],
        ['imp:i > c', 1],
    ];
    assert.equal(shown(stacks, { hide: ['imports'] }), 'all threads 10 (0)\n  a 9 (2)\n    b 7 (7)\n  c 1 (1)');
});

test('lines of a function are joined, below one parent, and separated again', () => {
    const stacks = [
        ['a@x.py:1 > b@x.py:7', 3],
        ['a@x.py:2 > b@x.py:7', 2],
        ['a@x.py:2 > b@x.py:9', 4],
        ['a@y.py:1', 1],
    ];
    const profile = profileOf(stacks);
    const graph = makeGraph(profile, { ...PLAIN, lines: false });
    const sums = sumUp(graph, profile.metrics[0], null);
    assert.equal(picture(profile, graph, sums), 'all threads 10 (0)\n  a 9 (0)\n    b 9 (9)\n  a 1 (1)');
    const [a, other] = heaviestChildren(graph, sums, 0);
    const [b] = heaviestChildren(graph, sums, a);
    const lines = (node) => linesOf(profile, graph, () => sumUp(graph.origin.graph, profile.metrics[0], null), node);
    assert.deepEqual(lines(a), [
        { line: 2, sum: 6 },
        { line: 1, sum: 3 },
    ]);
    assert.deepEqual(lines(b), [
        { line: 7, sum: 5 },
        { line: 9, sum: 4 },
    ]);
    assert.deepEqual(lines(other), []);
    assert.equal(labelOf(profile, graph, a).line, 0);
    assert.equal(labelOf(profile, graph, other).line, 1);
});

test('every node of the profile has a place in every graph', () => {
    const profile = profileOf([
        ['run:x > a@f:1 > imp:i > b', 3],
        ['run:x > a@f:2', 2],
    ]);
    const graph = makeGraph(profile, { split: false, lines: false, runner: true, hide: ['imports'] });
    const names = Array.from({ length: profile.tree.count }, (_, n) => labelOf(profile, graph, nodeFor(graph, n)).name);
    assert.deepEqual(names, ['all threads', '1 start-up frame', 'a', 'a', 'b', 'a']);
});

test('in every shape: depth first, the same total, no frame twice below one parent', () => {
    for (let seed = 1; seed <= 20; seed++) {
        const profile = profileOf(randomStacks(seed, 200), { threads: ['a', 'b', 'c'] });
        const whole = profile.metrics[0].total;
        for (const split of [false, true]) {
            for (const lines of [false, true]) {
                for (const hide of [
                    [],
                    ['imports'],
                    ['stdlib', 'native'],
                    ['imports', 'library', 'stdlib', 'native', 'kernel'],
                ]) {
                    const graph = makeGraph(profile, { split, lines, runner: seed % 2 === 0, hide });
                    const sums = sumUp(graph, profile.metrics[0], null);
                    assert.equal(sums.total[0], whole);
                    assert.deepEqual(graph.end, subtreeEnds(graph.parent));
                    const seen = new Set();
                    for (let n = 1; n < graph.count; n++) {
                        assert.ok(graph.parent[n] < n && graph.end[graph.parent[n]] >= graph.end[n]);
                        const key = `${graph.parent[n]} ${graph.frame[n]}`;
                        assert.ok(!seen.has(key), key);
                        seen.add(key);
                    }
                    assert.equal(
                        sumByOwner(profile, graph, sums).subarray(0, LENT).reduce((a, b) => a + b),
                        whole,
                    );
                }
            }
        }
    }
});

test('native code belongs to the Python frame above it', () => {
    const profile = profileOf([
        ['mine > native:malloc', 5],
        ['lib:x > native:y > native:malloc', 3],
        ['native:start', 1],
    ]);
    const graph = makeGraph(profile, PLAIN);
    assert.deepEqual(
        [...sumByOwner(profile, graph, sumUp(graph, profile.metrics[0], null)).slice(0, 5)],
        [5, 3, 0, 1, 0],
    );
    assert.equal(sumByOwner(profile, graph, sumUp(graph, profile.metrics[0], null))[LENT], 8);
});

test('threads filter, and say what they hold of a frame', () => {
    const profile = profileOf(
        [
            ['a', 5],
            ['a', 3, { thread: 1 }],
            ['b', 9, { thread: 2 }],
        ],
        { threads: ['x', 'y', 'z'] },
    );
    const graph = makeGraph(profile, PLAIN);
    const wanted = factsOfThreads(profile, new Set([1, 2]));
    assert.equal(sumUp(graph, profile.metrics[0], wanted).total[0], 12);
    const keys = { of: profile.facts.thread, count: profile.threads.length };
    const of = (mask, node) => sumBy(graph, profile.metrics[0].value, mask, keys, node);
    assert.deepEqual(of(null, 1), [
        { key: 0, sum: 5 },
        { key: 1, sum: 3 },
    ]);
    assert.deepEqual(of(wanted, 0), [
        { key: 2, sum: 9 },
        { key: 1, sum: 3 },
    ]);
});

test('what a view begins with: the heaviest node that is wanted, or where most of it goes through', () => {
    const profile = profileOf([
        ['a > b > c', 3],
        ['a > b > d', 2],
        ['a > e', 1],
        ['f', 4],
    ]);
    const graph = makeGraph(profile, PLAIN);
    const sums = sumUp(graph, profile.metrics[0], null);
    const name = (node) => labelOf(profile, graph, node).name;
    assert.equal(name(heaviestNode(sums, () => true)), 'a');
    assert.equal(name(heaviestNode(sums, (node) => 'cf'.includes(name(node)))), 'f');
    assert.equal(heaviestNode(sums, () => false), 0);
    assert.equal(name(deepestOfMost(graph, sums)), 'a');
    const even = profileOf([
        ['a', 1],
        ['b', 1],
    ]);
    const split = makeGraph(even, PLAIN);
    assert.equal(deepestOfMost(split, sumUp(split, even.metrics[0], null)), 0);
});
