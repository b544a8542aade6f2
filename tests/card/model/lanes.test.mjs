// SPDX-License-Identifier: Apache-2.0
/* Which lanes a timeline has, and what is in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLanes, makeLanes } from '../../../assets/src/model/lanes.js';
import { splitResident } from '../../../assets/src/model/resident.js';
import { laneHeight } from '../../../assets/src/view/lanes/scale.js';

const GIB = 2 ** 30;
const series = (name, values, more = {}) => ({
    name,
    title: name,
    unit: 'bytes',
    note: '',
    at: Float64Array.from(values, (_, i) => 10 * i),
    min: Float64Array.from(values),
    mean: Float64Array.from(values),
    max: Float64Array.from(values),
    ...more,
});
const memory = (name, values, more) => series(name, values, { lane: 'Memory', short: name, ...more });
const disk = (name, values) =>
    series(name, values, { lane: 'Disk', short: name, unit: 'bytes_per_second', title: `Disk ${name}` });
const lanesOf = (...all) => makeLanes({ series: all, heapPeak: null, tree: { count: 1 } });

test('what belongs together is one lane with one scale; the heap is the area in what is resident', () => {
    const lanes = lanesOf(memory('rss', [1, 900]), disk('read', [5]), memory('heap', [1, 300]), disk('written', [7]));
    assert.deepEqual(
        lanes.map(({ title, members }) => [title, ...members.map(({ name, look }) => `${name} ${look}`)]),
        [
            ['Memory', 'rss line', 'heap area'],
            ['Disk', 'read area', 'written dashed'],
        ],
    );
    assert.equal(lanes[0].top, 1000);
});

test('lanes of their own come last, and are opened; without others, four are shown', () => {
    const others = ['pss', 'cgroup', 'threads', 'processes', 'swap'].map((name) => series(name, [1, 2]));
    const lanes = lanesOf(others[0], memory('rss', [1]), ...others.slice(1));
    assert.deepEqual(lanes.map(({ title }) => title), ['rss', 'pss', 'cgroup', 'threads', 'processes', 'swap']);
    assert.equal(firstLanes(lanes), 1);
    assert.equal(firstLanes(lanesOf(...others)), 4);
    assert.equal(firstLanes(lanesOf(...others.slice(1))), 4);
    assert.equal(firstLanes(lanesOf(memory('rss', [1]), others[0])), 2);
});

test('a lane of one line has the name of the line', () => {
    assert.deepEqual(lanesOf(disk('read', [1])).map(({ title }) => title), ['Disk read']);
});

test('the limit of the control group is a line in the lane of memory, if it is near enough to be seen', () => {
    const group = series('cgroup_memory', [GIB], { limit: 2 * GIB });
    assert.equal(lanesOf(memory('rss', [GIB]), group)[0].limit, 2 * GIB);
    assert.equal(lanesOf(memory('rss', [GIB]), group)[0].top, 2 * GIB);
    assert.equal(lanesOf(memory('rss', [GIB / 3]), group)[0].limit, 0);
    assert.equal(lanesOf(memory('heap', [GIB]), group)[0].limit, 0, 'the limit is not one of the heap');
});

test('a lane is hatched from where none of its lines is known any more', () => {
    const [rss, heap] = [memory('rss', [1]), memory('heap', [1], { unknownFrom: 7 })];
    assert.equal(lanesOf(rss, heap)[0].unknownFrom, null);
    assert.equal(lanesOf({ ...rss, unknownFrom: 9 }, heap)[0].unknownFrom, 9);
});

test('what was 0 throughout has no lane', () => {
    assert.deepEqual(lanesOf(series('swap', [0], { quiet: true })), []);
});

test('one or two lanes take the room that more would need', () => {
    const [rss, pss, swap] = ['rss', 'pss', 'swap'].map((name) => series(name, [1, 2]));
    const heights = (...all) => lanesOf(...all).map(laneHeight);
    assert.deepEqual(heights(rss), [160]);
    assert.deepEqual(heights(memory('rss', [1]), memory('heap', [1]), disk('read', [5])), [160, 160]);
    assert.deepEqual(heights(rss, pss, swap), [64, 64, 64]);
});

test('what is resident is split below RSS, and what is a part has no lane of its own', () => {
    const run = [
        memory('rss', [60, 100, 100]),
        memory('heap', [20, 60, 10]),
        series('rss_captured', [60, 110, 100]),
        series('rss_file', [10, 10, 10]),
        series('rss_anon', [50, 90, 90]),
    ];
    const [lane, ...others] = makeLanes({ series: run, heapPeak: null, tree: { count: 1 } }, splitResident);
    assert.deepEqual(others, []);
    assert.deepEqual(
        lane.members.map(({ name, look, peak }) => [name, look, peak]),
        [['rss', 'line', 2], ['heap', 'area', 1],
            ['freed', 'stacked', -1], ['base', 'stacked', -1], ['rest', 'stacked', -1],
            ['files', 'stacked', -1]],
    );
    assert.equal(lane.members[0].highest, 110);
    assert.equal(lane.tall, 160);
});
