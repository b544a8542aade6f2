// SPDX-License-Identifier: Apache-2.0
/* Callers, and one function over all paths: facts' values stay, recursion counts once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heaviestChildren, sumUp } from '../../../assets/src/model/calltree.js';
import { focusOf, labelOf, makeGraph, nodeFor } from '../../../assets/src/model/graph.js';
import { subtreeEnds } from '../../../assets/src/model/profile.js';
import { everyNode, outermost, turnOver } from '../../../assets/src/model/turn.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const PLAIN = { split: false, lines: false, runner: false, hide: [] };

function picture(profile, graph) {
    const sums = sumUp(graph, profile.metrics[0], null);
    const lines = [];
    const draw = (node, depth) => {
        lines.push(`${'  '.repeat(depth)}${labelOf(profile, graph, node).name} ${sums.total[node]}`);
        heaviestChildren(graph, sums, node).forEach((child) => draw(child, depth + 1));
    };
    draw(0, 0);
    return lines.join('\n');
}

const turned = (profile, shape = PLAIN) => {
    const graph = makeGraph(profile, shape);
    return turnOver(profile, graph, everyNode(graph));
};

const frameNamed = (profile, name) =>
    Array.from(profile.frames.function).findIndex((s) => {
        const { text, at } = profile.strings;
        return text.slice(at[s], at[s + 1]) === name;
    });

const STACKS = [
    ['main > load > read', 6],
    ['main > fit > load > read', 3],
    ['main > fit', 2],
    ['main > fit > fit > read', 1],
];

test('callers are below what they called; what a frame holds by itself is its total', () => {
    assert.equal(
        picture(profileOf(STACKS), turned(profileOf(STACKS))),
        [
            'all threads 12',
            '  read 10',
            '    load 9',
            '      main 6',
            '      fit 3',
            '        main 3',
            '    fit 1',
            '      fit 1',
            '        main 1',
            '  fit 2',
            '    main 2',
        ].join('\n'),
    );
});

test('a frame of several lines names none of them', () => {
    const profile = profileOf([
        ['p > a@x.py:1', 3],
        ['q > a@x.py:2', 2],
        ['q > b@x.py:7', 1],
        ['p > b@x.py:7', 1],
    ]);
    const graph = turned(profile);
    const lines = heaviestChildren(graph, sumUp(graph, profile.metrics[0], null), 0).map(
        (node) => labelOf(profile, graph, node).line,
    );
    assert.deepEqual(lines, [0, 7]);
});

test('callers of threads that are split stay below their thread', () => {
    const profile = profileOf(
        [
            ['a > b', 5],
            ['a > b', 3, { thread: 1 }],
            ['b', 1, { thread: 1 }],
        ],
        { threads: ['main', 'worker'] },
    );
    assert.equal(
        picture(profile, turned(profile, { ...PLAIN, split: true })),
        'all threads 9\n  main 5\n    b 5\n      a 5\n  worker 4\n    b 4\n      a 3',
    );
});

test('one function over all paths: what it calls, and who calls it, each with all that it holds', () => {
    const profile = profileOf(STACKS);
    const focus = frameNamed(profile, 'fit');
    const graph = makeGraph(profile, { ...PLAIN, focus });
    assert.equal(
        picture(profile, makeGraph(profile, { ...PLAIN, focus, only: true })),
        'all threads 12\n  fit 6\n    load 3\n      read 3\n    fit 1\n      read 1',
    );
    assert.equal(
        picture(profile, turnOver(profile, graph, outermost(graph, focusOf(profile, { focus, lines: false })))),
        'all threads 12\n  fit 6\n    main 6',
    );
});

test('a function that is hidden is shown when it is asked for', () => {
    const profile = profileOf([
        ['main > std:open > std:decode', 4],
        ['main > std:decode', 2],
    ]);
    const focus = frameNamed(profile, 'decode');
    const shape = { ...PLAIN, hide: ['stdlib'], focus };
    assert.equal(picture(profile, makeGraph(profile, { ...shape, only: true })), 'all threads 6\n  decode 6');
    assert.equal(picture(profile, makeGraph(profile, shape)), 'all threads 6\n  main 6\n    decode 6');
});

test('a stack deeper than can be followed ends in a frame that says so', () => {
    const deep = (name, depth) => Array.from({ length: depth }, (_, i) => `${name}${i % 7}`).join(' > ');
    const profile = profileOf(
        Array.from({ length: 3000 }, (_, i) => [deep('f', i + 1), 1]).concat([['g > h', 5]]),
    );
    const graph = turned(profile);
    const sums = sumUp(graph, profile.metrics[0], null);
    const names = Array.from({ length: graph.count }, (_, n) => labelOf(profile, graph, n).name);
    assert.equal(sums.total[0], 3005);
    assert.ok(names.includes('callers further up'));
    assert.ok(graph.count < 4_100_000);
});

test('in every shape: depth first, the same total, every node has a place', () => {
    for (let seed = 1; seed <= 15; seed++) {
        const profile = profileOf(randomStacks(seed, 150), { threads: ['a', 'b', 'c'] });
        const whole = profile.metrics[0].total;
        for (const split of [false, true]) {
            for (const lines of [false, true]) {
                const shape = { split, lines, runner: seed % 2 === 0, hide: seed % 3 ? [] : ['stdlib'] };
                const called = makeGraph(profile, shape);
                for (const graph of [
                    turned(profile, shape),
                    makeGraph(profile, { ...shape, focus: seed % profile.frames.count, only: true }),
                ]) {
                    const sums = sumUp(graph, profile.metrics[0], null);
                    assert.equal(sums.total[0], whole);
                    assert.deepEqual(graph.end, subtreeEnds(graph.parent));
                    for (let n = 1; n < graph.count; n++) assert.ok(graph.parent[n] < n);
                    for (let n = 0; n < profile.tree.count; n++) assert.ok(nodeFor(graph, n) < graph.count);
                }
                // Below the root of the inverted graph is what each function holds itself.
                const own = new Map();
                const { self } = sumUp(called, profile.metrics[0], null);
                self.forEach((value, n) => own.set(called.frame[n], (own.get(called.frame[n]) ?? 0) + (n && value)));
                if (split) continue;
                const graph = turned(profile, shape);
                const sums = sumUp(graph, profile.metrics[0], null);
                for (const node of heaviestChildren(graph, sums, 0))
                    assert.equal(sums.total[node], own.get(graph.frame[node]));
            }
        }
    }
});
