// SPDX-License-Identifier: Apache-2.0
/* Time order: calls begin, continue and end as they did, and last as long as recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFrames } from '../../../assets/src/model/calltree.js';
import { makeGraph, labelOf } from '../../../assets/src/model/graph.js';
import { layOutByTime, makeTimeGraph, sumCalls, threadsInTime } from '../../../assets/src/model/timeorder.js';
import { profileOf, randomly, randomStacks } from '../support/profile.mjs';

const SHAPE = { split: false, lines: true, runner: true, hide: [] };

/** Each call as "name start-stop", with one dot for each level of depth. */
function callsOf(profile, graph, thread) {
    const calls = makeTimeGraph(profile.time[0], graph, thread);
    const depth = new Uint32Array(calls.count);
    return Array.from({ length: calls.count }, (_, n) => {
        if (n) depth[n] = depth[calls.parent[n]] + 1;
        const name = n ? labelOf(profile, calls, n).name : 'all';
        return `${'.'.repeat(depth[n])}${name} ${calls.start[n]}-${calls.stop[n]}`;
    });
}

test('a call goes on while its stretches touch, and calls are in the order in which they ran', () => {
    const profile = profileOf(
        [
            ['main > load', 5],
            ['main > save', 3],
            ['main', 2],
        ],
        { stretches: [[0, 0, 3], [1, 3, 3], [2, 6, 2], [0, 8, 2], [0, 20, 1]] }, // prettier-ignore
    );
    assert.deepEqual(callsOf(profile, makeGraph(profile, SHAPE), 0), [
        'all 0-21',
        '.main 0-10',
        '..load 0-3',
        '..save 3-6',
        '..load 8-10',
        '.main 20-21',
        '..load 20-21',
    ]);
});

test('what the graph hides or puts into one box is so in the order of time', () => {
    const profile = profileOf([['run:exec > main > std:dumps > write', 4], ['run:exec > main', 1]], {
        stretches: [[0, 0, 2], [1, 2, 1], [0, 3, 2]], // prettier-ignore
    });
    assert.deepEqual(callsOf(profile, makeGraph(profile, { ...SHAPE, hide: ['stdlib'] }), 0), [
        'all 0-5',
        '.1 start-up frame 0-5',
        '..main 0-5',
        '...write 0-2',
        '...write 3-5',
    ]);
});

test('threads have graphs of their own, on one clock; the busiest is first', () => {
    const profile = profileOf(
        [
            ['main', 5],
            ['work', 9, { thread: 1 }],
        ],
        { threads: ['Main', 'Worker'], stretches: [[0, 1, 5], [1, 0, 9]] }, // prettier-ignore
    );
    const graph = makeGraph(profile, SHAPE);
    assert.deepEqual(threadsInTime(profile.time[0].stretches), [
        { thread: 1, sum: 9 },
        { thread: 0, sum: 5 },
    ]);
    assert.deepEqual(callsOf(profile, graph, 0), ['all 1-6', '.main 1-6']);
    assert.deepEqual(callsOf(profile, graph, 1), ['all 0-9', '.work 0-9']);
});

test('a gap that the resolution hides does not part a call', () => {
    const stretches = [[0, 0, 3], [0, 5, 3], [0, 30, 3]]; // prettier-ignore
    const profile = profileOf([['main', 9]], { stretches, resolutionNs: 10 });
    assert.deepEqual(callsOf(profile, makeGraph(profile, SHAPE), 0), ['all 0-33', '.main 0-8', '.main 30-33']);
});

test('random stretches: sums are those of the stretches, calls lie within their callers', () => {
    const random = randomly(7);
    const stacks = randomStacks(3, 60).map(([path]) => [path, 1]);
    let now = 0;
    const stretches = Array.from({ length: 500 }, () => {
        now += random(3) ? 0 : random(50);
        const stretch = [random(stacks.length), now, 1 + random(20)];
        now += stretch[2];
        return stretch;
    });
    const profile = profileOf(stacks, { stretches });
    for (const shape of [SHAPE, { ...SHAPE, lines: false, hide: ['stdlib', 'imports'] }]) {
        const graph = makeGraph(profile, shape);
        const calls = makeTimeGraph(profile.time[0], graph, 0);
        const { total } = sumCalls(calls);
        assert.equal(
            total[0],
            stretches.reduce((sum, [, , duration]) => sum + duration, 0),
        );
        for (let n = 1; n < calls.count; n++) {
            const up = calls.parent[n];
            assert.ok(calls.start[up] <= calls.start[n] && calls.stop[n] <= calls.stop[up], `call ${n}`);
            assert.ok(up === 0 || calls.stop[n] - calls.start[n] === total[n], `call ${n} has no gap`);
        }
    }
});

test('boxes are where the calls ran, and with those of smaller calls they hold everything', () => {
    const stacks = [['main > a', 1], ['main > b', 1], ['main > c', 1]]; // prettier-ignore
    const stretches = [[0, 0, 400], ...Array.from({ length: 100 }, (_, i) => [1 + (i % 2), 400 + i, 1]), [2, 900, 100]];
    const profile = profileOf(stacks, { stretches });
    const calls = makeTimeGraph(profile.time[0], makeGraph(profile, SHAPE), 0);
    const sums = sumCalls(calls);
    const { count, node, smaller, left, width, value, rowStart } = layOutByTime(calls, sums, countFrames(calls, sums), {
        top: 0,
        width: 1000,
        minWidth: 3,
    });
    const boxes = Array.from({ length: count }, (_, box) => [
        smaller[box] ? `${smaller[box]} smaller` : node[box] ? labelOf(profile, calls, node[box]).name : 'all',
        left[box],
        width[box],
        value[box],
    ]);
    assert.deepEqual(boxes, [
        ['all', 0, 1000, 600],
        ['main', 0, 500, 500],
        ['main', 900, 100, 100],
        ['a', 0, 400, 400],
        ['100 smaller', 400, 100, 100],
        ['c', 900, 100, 100],
    ]);
    assert.deepEqual(Array.from(rowStart), [0, 1, 3, 6]);
});

test('a profile without an order of time has none, and a damaged one is an error', () => {
    assert.equal(profileOf([['main', 1]]).time, null);
    const threadless = profileOf([['main', 1]], { stretches: [[0, 0, 1]] });
    assert.equal(makeTimeGraph(threadless.time[0], makeGraph(threadless, SHAPE), 5).count, 1);
});
