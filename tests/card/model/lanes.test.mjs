// SPDX-License-Identifier: Apache-2.0
/* Which lanes a timeline has, and what is in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLanes, makeLanes } from '../../../assets/src/model/lanes.js';
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
const lanesOf = (...all) => makeLanes({ series: all, heapPeak: null });

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

test('pages of files are a dashed line of the lane of memory, whose peak is not marked', () => {
    const [lane] = lanesOf(memory('rss', [1, 900]), memory('heap', [1, 300]), memory('rss_file', [1, 20]));
    assert.deepEqual(
        lane.members.map(({ name, look, peak }) => [name, look, peak]),
        [['rss', 'line', 1], ['heap', 'area', 1], ['rss_file', 'dashed', -1]],
    );
    const [alone] = lanesOf(memory('rss', [1, 900]), memory('rss_file', [1, 20]));
    assert.deepEqual(alone.members.map(({ look }) => look), ['area', 'dashed']);
});
