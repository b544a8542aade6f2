// SPDX-License-Identifier: Apache-2.0
/* The keys of nodes and frames: each leads back to its own, and in another render to the same function. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { labelOf, makeGraph } from '../../../assets/src/model/graph.js';
import { keysOf } from '../../../assets/src/model/keys.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const PLAIN = { split: false, lines: false, runner: true, hide: ['imports'] };

/** A profile with its graph and keys. */
function made(stacks, shape = PLAIN) {
    const profile = profileOf(stacks);
    const graph = makeGraph(profile, shape);
    const keys = keysOf(profile);
    const { total } = sumUp(graph, profile.metrics[0], null);
    return {
        profile,
        graph,
        keyOf: (node) => keys.ofNode(graph, node, shape.lines),
        nodeOf: (key) => keys.node(graph, key, shape.lines, () => total),
        name: (node) => labelOf(profile, graph, node).name,
        named: (name) => [...graph.frame.keys()].filter((n) => n && labelOf(profile, graph, n).name === name),
        ofFrame: keys.ofFrame,
        frame: keys.frame,
    };
}

test('every node and every frame has a key of its own', () => {
    for (const shape of [PLAIN, { ...PLAIN, lines: true }, { ...PLAIN, split: true, runner: false, hide: [] }]) {
        const { profile, graph, keyOf, nodeOf, ofFrame, frame } = made(randomStacks(300), shape);
        const nodes = Array.from(graph.frame.keys()).slice(1);
        assert.deepEqual(nodes.map((node) => nodeOf(keyOf(node))), nodes);
        assert.equal(new Set(nodes.map(keyOf)).size, nodes.length);
        const frames = Array.from(profile.frames.function.keys());
        assert.deepEqual(frames.map((f) => frame(ofFrame(f))), frames);
    }
});

test('one more function, and folders of another machine, change no key', () => {
    const before = made([['main@/home/a/job.py > load@/home/a/io.py > read@/home/a/io.py', 300]]);
    const after = made([
        ['main@C:\\b\\job.py > check@C:\\b\\job.py', 900],
        ['main@C:\\b\\job.py > load@C:\\b\\io.py > read@C:\\b\\io.py', 300],
    ]);
    for (const name of ['main', 'load', 'read']) {
        const [[node], [other]] = [before.named(name), after.named(name)];
        assert.equal(before.keyOf(node), after.keyOf(other), name);
        assert.equal(after.nodeOf(before.keyOf(node)), other);
    }
    assert.notEqual(before.named('read')[0], after.named('read')[0]);
});

test('where the path is not there any more, the heaviest frame of that name is meant', () => {
    const before = made([['main > load > read', 300]]);
    const after = made([
        ['main > retry > load > read', 10],
        ['main > again > load > read', 20],
    ]);
    const { parent } = after.graph;
    const heavier = after.named('read').find((node) => after.name(parent[parent[node]]) === 'again');
    assert.equal(after.nodeOf(before.keyOf(before.named('read')[0])), heavier);
    const without = made([['main > save', 10]]);
    assert.equal(without.nodeOf(before.keyOf(before.named('read')[0])), 0);
});

test('siblings of one name in two files of one name are told apart', () => {
    const { keyOf, nodeOf, named } = made([
        ['main > load@a/__init__.py', 10],
        ['main > load@b/__init__.py', 20],
    ]);
    const keys = named('load').map(keyOf);
    assert.equal(keys.length, 2);
    assert.match(keys[1], /-2$/);
    assert.deepEqual(keys.map(nodeOf), named('load'));
});

test('the key of a frame takes no look at what is not next to its path', () => {
    const stacks = Array.from({ length: 50 }, (_, i) => [`main > f${i} > load > read`, 10 + i]);
    const { profile, graph, keyOf } = made(stacks);
    const seen = new Set();
    const frame = new Proxy(graph.frame, {
        get(column, name) {
            if (/^\d+$/.test(String(name))) seen.add(name);
            return Reflect.get(column, name);
        },
    });
    const node = graph.count - 1;
    assert.equal(keysOf(profile).ofNode({ ...graph, frame }, node, false), keyOf(node));
    assert.ok(seen.size > 50 && seen.size < 50 + 20 && graph.count > 150, `${seen.size} of ${graph.count}`);
});

test('what is no key means nothing', () => {
    const { nodeOf, frame } = made([['main > load', 10]]);
    for (const text of ['', '1', '17', '-1', 'a.b.c', '../x', 'zzzzzzz.zzzzzzz', 'a.b-0', 'a.b-999999999', '__proto__'])
        assert.equal(nodeOf(text), 0, text);
    for (const text of ['', '-2', '.', 'zzzzzzz', 'constructor', '0-0']) assert.equal(frame(text), -1, text);
});
