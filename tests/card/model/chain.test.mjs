// SPDX-License-Identifier: Apache-2.0
/* Straight chains and recursion are in one row, and every value, search and place stays what it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFrames, sumUp } from '../../../assets/src/model/calltree.js';
import { chainName, chains } from '../../../assets/src/model/chain.js';
import { labelOf, makeGraph } from '../../../assets/src/model/graph.js';
import { account, boxOf, layOut, rowCount } from '../../../assets/src/model/layout.js';
import { brightBoxes, parseQuery, search } from '../../../assets/src/model/search.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const SHAPE = { split: false, lines: true, runner: false, hide: [] };

function laidOut(stacks, { top = 0, fold = true } = {}) {
    const profile = profileOf(stacks, { threads: ['a', 'b', 'c'] });
    const graph = makeGraph(profile, SHAPE);
    const sums = sumUp(graph, profile.metrics[0], null);
    const chain = fold ? chains(profile, graph, sums) : undefined;
    const layout = layOut(graph, sums, countFrames(graph, sums), { top, width: 1000, minWidth: 3, chain });
    const shown = { graph: () => graph, label: (node) => labelOf(profile, graph, node) };
    return { profile, graph, sums, layout, shown };
}

const named = ({ layout, shown }) =>
    Array.from(layout.node, (node, box) => chainName(shown, node, layout.last[box])?.name ?? shown.label(node).name);

test('a function that calls itself has one row', () => {
    const laid = laidOut([[`main > ${'fib@x.py > '.repeat(16)}fib@x.py > add`, 100]]);
    assert.deepEqual(named(laid), ['all threads', 'main', 'fib \u00d717', 'add']);
});

test('functions of one name in two files are two', () => {
    const laid = laidOut([['main > load@a.py > load@b.py', 100]]);
    assert.deepEqual(named(laid), ['all threads', 'main', 'load', 'load']);
});

test('at least three frames of others are one row, and my own have theirs', () => {
    const laid = laidOut([['main > run > lib:a > lib:b > std:c > mine > lib:d > lib:e', 482]]);
    assert.deepEqual(named(laid), ['all threads', 'main', 'run', '\u25b8 3 frames', 'mine', 'd', 'e']);
    const [chained] = laid.layout.node.filter((node, box) => laid.layout.last[box] !== node);
    assert.equal(chainName(laid.shown, chained, boxEnd(laid, chained)).suffix, '  a \u2026 c');
});

const boxEnd = ({ layout }, node) => layout.last[boxOf(layout, node)];

test('what holds more than a trifle less is not in the chain', () => {
    const stacks = (self) => [
        ['main > lib:a > lib:b > lib:c > lib:d', 100_000],
        ['main > lib:a > lib:b', self],
    ];
    assert.equal(rowCount(laidOut(stacks(50)).layout), 3);
    assert.equal(rowCount(laidOut(stacks(500)).layout), 6);
    const branch = laidOut([...stacks(0).slice(0, 1), ['main > lib:a > lib:x', 50]]);
    assert.ok(rowCount(branch.layout) > 3); // two callees, however small one is
});

test('every frame has a box, and the picture is worth what it was', () => {
    for (let seed = 1; seed <= 30; seed++) {
        const tail = 'lib:p > lib:q > lib:r > r > r';
        const stacks = randomStacks(seed, 200).map(([stack, value]) => [`${stack} > ${tail}`, value]);
        const [folded, open] = [laidOut(stacks), laidOut(stacks, { fold: false })];
        assert.deepEqual(account(folded.layout, folded.sums), account(open.layout, open.sums));
        for (const node of open.layout.node) assert.ok(boxOf(folded.layout, node) >= 0);
        assert.ok(rowCount(folded.layout) < rowCount(open.layout));
    }
});

test('a zoomed frame inside a chain begins a row of its own', () => {
    const stacks = [['main > lib:a > lib:b > lib:c > lib:d > lib:e > lib:f', 9]];
    const { graph } = laidOut(stacks);
    const top = graph.count - 3; // d
    const laid = laidOut(stacks, { top });
    assert.deepEqual(named(laid), ['all threads', 'main', '\u25b8 3 frames', '\u25b8 3 frames']);
    assert.equal(laid.layout.node.at(-1), top);
});

test('a match inside a chain marks its row, and smaller ones below it theirs', () => {
    const laid = laidOut([
        ['main > lib:a > lib:b > lib:c', 5000],
        ['main > lib:a > lib:b > lib:c > needle', 1],
    ]);
    for (const [word, bright] of [
        ['b', [0, 0, 1, 0]],
        ['needle', [0, 0, 0, 1]],
    ]) {
        const found = search(laid.profile, laid.graph, laid.sums, parseQuery(word));
        assert.deepEqual([...brightBoxes(found, laid.graph, laid.layout)], bright);
    }
});
