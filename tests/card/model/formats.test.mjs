// SPDX-License-Identifier: Apache-2.0
/* Saved files match what is shown: sums stay, names stay names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { makeGraph } from '../../../assets/src/model/graph.js';
import { makeRows } from '../../../assets/src/model/rows.js';
import { collapsedStacks, fileName, speedscopeOf, tableCsv } from '../../../assets/src/model/formats.js';
import { makeTimeGraph, sumCalls } from '../../../assets/src/model/timeorder.js';
import { everyNode, turnOver } from '../../../assets/src/model/turn.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const PLAIN = { split: false, lines: true, runner: false, hide: [] };
const of = (profile, shape = PLAIN) => {
    const graph = makeGraph(profile, shape);
    return { graph, sums: sumUp(graph, profile.metrics[0], null) };
};
const ABOUT = { name: 'x', unit: 'bytes' };

/** Replays the events; each stack's value matches the collapsed stacks. */
function replay(text) {
    const { shared, profiles } = JSON.parse(text);
    const [{ events, startValue, endValue }] = profiles;
    const stack = [];
    const held = new Map();
    let last = startValue;
    for (const { type, frame, at } of events) {
        const key = stack.map((f) => shared.frames[f].name).join(';');
        if (at > last) held.set(key, (held.get(key) ?? 0) + at - last);
        assert.ok(at >= last, 'events go forward');
        last = at;
        if (type === 'O') stack.push(frame);
        else assert.equal(stack.pop(), frame);
    }
    assert.equal(stack.length, 0);
    if (endValue > last) held.set('', endValue - last);
    return { held, endValue };
}

test('collapsed stacks: a line for each, the outermost frame first, also when callers are below', () => {
    const profile = profileOf([
        ['main > a;b > read', 5],
        ['main', 2],
        ['', 1],
    ]);
    const { graph, sums } = of(profile);
    assert.equal(collapsedStacks(profile, graph, sums, false), 'all threads 1\nmain 2\nmain;a:b;read 5\n');
    const turned = turnOver(profile, graph, everyNode(graph));
    const lines = collapsedStacks(profile, turned, sumUp(turned, profile.metrics[0], null), true).split('\n');
    assert.deepEqual(lines.sort(), ['', 'all threads 1', 'main 2', 'main;a:b;read 5']);
});

test('speedscope: events that open and close, each stack with what it holds', () => {
    for (let seed = 1; seed <= 10; seed++) {
        const profile = profileOf(randomStacks(seed, 100), { threads: ['a', 'b', 'c'] });
        const { graph, sums } = of(profile, { ...PLAIN, lines: false, hide: ['stdlib'] });
        const { held, endValue } = replay(speedscopeOf(profile, graph, sums, ABOUT));
        assert.equal(endValue, sums.total[0]);
        const folded = collapsedStacks(profile, graph, sums, false).trim().split('\n');
        const wanted = new Map();
        for (const line of folded) {
            const [, stack, value] = /^(.*) (\d+)$/.exec(line);
            const key = stack === profile.rootLabel ? '' : stack;
            wanted.set(key, (wanted.get(key) ?? 0) + Number(value));
        }
        assert.deepEqual(new Map([...held].sort()), new Map([...wanted].sort()));
    }
});

test('speedscope in the order of time: the events are when they were', () => {
    const profile = profileOf(
        [
            ['main > load', 5],
            ['main > save', 3],
        ],
        { stretches: [[0, 0, 3], [1, 3, 3], [0, 6, 2]] }, // prettier-ignore
    );
    const calls = makeTimeGraph(profile.time[0], makeGraph(profile, PLAIN), 0);
    const text = speedscopeOf(profile, calls, sumCalls(calls), ABOUT);
    const { held } = replay(text);
    assert.deepEqual([...held], [['main;load', 5], ['main;save', 3]]); // prettier-ignore
    assert.equal(JSON.parse(text).profiles[0].unit, 'nanoseconds');
});

test('a stack of 100,000 frames is saved too', () => {
    const profile = profileOf([[Array.from({ length: 100_000 }, (_, i) => `f${i % 3}`).join(' > '), 5]]);
    const { graph, sums } = of(profile);
    const [{ events, endValue }] = JSON.parse(speedscopeOf(profile, graph, sums, ABOUT)).profiles;
    assert.deepEqual([events.length, endValue], [200_000, 5]);
    assert.match(collapsedStacks(profile, graph, sums, false).slice(-20), / 5\n$/);
});

test('CSV: exact numbers, quotes where they are needed, no formula', () => {
    const profile = profileOf([
        ['=cmd()@a,b.py:1 > say "hi"@x.py:2', 7],
        ['-1@y.py:3', 2],
    ]);
    const { graph, sums } = of(profile);
    const rows = makeRows(profile, graph, sums, 'line');
    const order = Uint32Array.from({ length: rows.count }, (_, i) => i);
    const metric = { unit: 'bytes', countName: 'allocations' };
    assert.equal(
        tableCsv(profile, rows, order, metric, ['my code']),
        'function,file,line,owner,self (bytes),total (bytes),self allocations,total allocations\r\n' +
            '\'=cmd(),"a,b.py",1,my code,0,7,0,1\r\n' +
            '"say ""hi""",x.py,2,my code,7,7,1,1\r\n' +
            "'-1,y.py,3,my code,2,2,1,1\r\n",
    );
});

test('names of files', () => {
    assert.equal(fileName('../../etc/passwd', 'peak'), 'etc-passwd-peak');
    assert.equal(fileName('tägliche Verkäufe', 'peak'), 'tägliche-Verkäufe-peak');
    assert.equal(fileName('/', ''), 'profile');
});
