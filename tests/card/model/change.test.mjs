// SPDX-License-Identifier: Apache-2.0
/* How much a frame of a difference changed: in amounts, and in shares of each side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedMost } from '../../../assets/src/model/changed.js';
import { changeStep, growthOf, largerOf, sidesOf, sortGrowth } from '../../../assets/src/model/change.js';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { wholeTree } from '../../../assets/src/model/graph.js';
import { stringAt } from '../../../assets/src/model/profile.js';
import { profileOf } from '../support/profile.mjs';

/** A tree with some values on both sides: [stack, before, after]. */
function sidesOfStacks(stacks, shares = false) {
    const profile = profileOf(stacks.map(([stack, , after]) => [stack, after]));
    const graph = wholeTree(profile);
    const [metric] = profile.metrics;
    const after = sumUp(graph, metric, null);
    const before = sumUp(graph, { ...metric, value: Float64Array.from(stacks, ([, value]) => value) }, null);
    const nameOf = (node) => stringAt(profile.strings, profile.frames.function[profile.tree.frame[node]]);
    const nodeOf = (name) => profile.tree.frame.findIndex((_, node) => node > 0 && nameOf(node) === name);
    return { profile, graph, before, after, nameOf, nodeOf, sides: sidesOf(before, after, shares) };
}

test('a colour is the share of all that changed: a small function that doubled is pale', () => {
    const { sides, nodeOf } = sidesOfStacks([
        ['main > big', 1000, 1900],
        ['main > small', 10, 20],
        ['main > some', 100, 190],
        ['main > less', 200, 100],
    ]);
    assert.deepEqual(
        ['main', 'big', 'small', 'some', 'less'].map((name) => changeStep(sides, nodeOf(name))),
        [3, 3, 0, 1, -2],
    );
});

test('a run of twice the length has twice of everything, and the same shares', () => {
    const stacks = [
        ['main > one', 60, 120],
        ['main > two', 40, 80],
    ];
    assert.equal(changeStep(sidesOfStacks(stacks).sides, 0), 3);
    const { sides, nodeOf } = sidesOfStacks(stacks, true);
    assert.deepEqual(['main', 'one', 'two'].map((name) => changeStep(sides, nodeOf(name))), [0, 0, 0]);
});

test('what is gone keeps its place, and a frame holds both what came and what went below it', () => {
    const { graph, before, after, nodeOf } = sidesOfStacks([
        ['main > gone', 100, 0],
        ['main > new', 0, 80],
        ['main > same', 50, 50],
    ]);
    const larger = largerOf(graph, before, after);
    assert.deepEqual(['main', 'gone', 'new', 'same'].map((name) => larger.total[nodeOf(name)]), [230, 100, 80, 50]);
});

test('who changed most by itself: what is gone is among them, and what did not change is not', () => {
    const { profile, graph, sides, nameOf } = sidesOfStacks([
        ['main > gone', 100, 0],
        ['main > new', 0, 80],
        ['main > same', 50, 50],
        ['main > other > new', 0, 30],
    ]);
    const list = changedMost(profile, graph, sides, 6, 0).map((one) => [nameOf(one.node), one.before, one.after]);
    assert.deepEqual(list, [
        ['new', 0, 110],
        ['gone', 100, 0],
    ]);
});

test('a library counts for the function that called it; the largest change comes first', () => {
    const profile = profileOf([
        ['main > load > lib:read', 5],
        ['main > load > lib:read > lib:parse', 4],
        ['main > fit', 7],
        ['main > keep', 2],
        ['lib:start', 1],
    ]);
    const before = Float64Array.from([1, 1, 9, 2, 0]);
    const nameOf = ({ node }) => stringAt(profile.strings, profile.frames.function[profile.tree.frame[node]]);
    const list = growthOf(profile, before, profile.metrics[0].value, null);
    const rows = sortGrowth(list, (one) => one.after - one.before).map((one) => [nameOf(one), one.before, one.after]);
    assert.deepEqual(rows, [
        ['load', 2, 9],
        ['fit', 9, 7],
        ['start', 0, 1],
    ]);
    const wanted = Uint8Array.from([1, 0, 0, 0, 0]);
    assert.deepEqual(
        growthOf(profile, before, profile.metrics[0].value, wanted).map(({ before: from, after }) => [from, after]),
        [[1, 5]],
    );
});
