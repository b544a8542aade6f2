// SPDX-License-Identifier: Apache-2.0
/* What resident memory consists of: its parts and the heap add up to it at every moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitResident } from '../../../assets/src/model/resident.js';
import { pointAt } from '../../../assets/src/model/series.js';

function series(name, values, at = values.map((_, i) => 10 * i)) {
    const column = Float64Array.from(values);
    const lane = name === 'heap' ? 'Memory' : '';
    const columns = { min: column, mean: column, max: column };
    return { name, lane, title: name, unit: 'bytes', at: Float64Array.from(at), ...columns };
}

const at = (all, name, ms) => {
    const found = all.find((one) => one.name === name);
    return found ? found.max[pointAt(found, ms)] : 0;
};
/** The series and the bands. */
function split(run) {
    const all = splitResident(run);
    const isBand = (one) => one.isBand === true;
    return { series: all.filter((one) => !isBand(one)), parts: all.filter(isBand) };
}
const namesOf = (all) => all.map(({ name }) => name);

test('a heap that gave memory back: what stays is at most what it had', () => {
    const run = [series('rss', [60, 560, 560]), series('heap', [20, 500, 20]), series('rss_file', [10, 10, 10])];
    const { parts } = split(run);
    const figures = (ms) => ['freed', 'base', 'rest', 'files'].map((name) => at(parts, name, ms));
    assert.deepEqual([0, 10, 20].map(figures), [[0, 30, 0, 10], [0, 30, 20, 10], [480, 30, 20, 10]]);
});

test('the heap and the parts are what is resident, whenever each was sampled', () => {
    const run = [
        series('rss', [50, 90, 300, 80], [0, 30, 60, 90]),
        series('rss_captured', [50, 60, 200, 310, 70], [5, 15, 45, 55, 85]),
        series('heap', [5, 100, 250, 20], [7, 33, 58, 77]),
        series('rss_file', [12, 15], [3, 50]),
        series('rss_shmem', [1, 2], [3, 50]),
    ];
    const { series: all, parts } = split(run);
    assert.deepEqual(namesOf(all), ['rss', 'heap']);
    const moments = parts[0].at;
    assert.deepEqual([...moments].slice(0, 3), [7, 15, 30], 'not before all are known');
    for (const ms of moments) {
        const sum = parts.reduce((bytes, { name }) => bytes + at(parts, name, ms), 0);
        const resident = at(all, 'rss', ms);
        assert.equal(sum + Math.min(at(all, 'heap', ms), resident - at(parts, 'files', ms)), resident, `at ${ms}`);
    }
});

test('a heap that was never touched takes what there is, and no part is below 0', () => {
    const { parts } = split([series('rss', [60, 70]), series('heap', [20, 900])]);
    for (const { max } of parts) assert.ok(max.every((value) => value >= 0));
    assert.deepEqual(namesOf(parts), ['base']);
});

test('without a heap: what is its own, and files', () => {
    const { parts } = split([series('rss', [60, 70]), series('rss_file', [10, 10])]);
    assert.deepEqual(parts.map(({ title, max }) => [title, [...max]]), [['own', [50, 60]], ['files', [10, 10]]]);
});

test('several processes have one heap among them, a run without both has nothing to split', () => {
    const run = [series('rss', [60]), series('heap', [20]), series('rss_captured', [50])];
    const many = [...run, series('processes', [1, 3])];
    assert.equal(splitResident(many), many);
    const one = splitResident([...run, series('processes', [1])]);
    assert.deepEqual(namesOf(one).slice(0, 3), ['rss', 'heap', 'processes']);
    for (const all of [[], [series('rss', [1])], [series('heap', [1])], [series('rss', []), series('heap', [1])]])
        assert.equal(splitResident(all), all);
});
