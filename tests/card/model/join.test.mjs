// SPDX-License-Identifier: Apache-2.0
/* Two cards joined in the page: the same difference as that of the program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { growthOf } from '../../../assets/src/model/change.js';
import { fileKey, joinProfiles } from '../../../assets/src/model/join.js';
import { stringAt } from '../../../assets/src/model/profile.js';
import { PROGRAM, cardOf, profileIn, sample, saved } from '../support/browser.mjs';

const BEFORE = sample('json_dict-py3.9-memray1.2.0-default.bin');
const AFTER = sample('json_dict-py3.13-memray1.18.0-default.bin');

/** What changed, by name: [before, after]. */
function changes(profile, name) {
    const metric = profile.metrics.find((one) => one.name === name);
    const { strings, frames, tree } = profile;
    const list = growthOf(profile, profile.metrics[metric.base].value, metric.value, null);
    return Object.fromEntries(
        list.map((one) => [
            one.node ? stringAt(strings, frames.function[tree.frame[one.node]]) : '',
            [one.before, one.after],
        ]),
    );
}

for (const [what, before, after] of [
    ['of two versions of Python', BEFORE, AFTER],
    ['the other way round', AFTER, BEFORE],
])
    test(`what the page joins is what the program says, ${what}`, () => {
        const path = saved('program.html', '');
        execFileSync(PROGRAM, ['diff', before, after, '-o', path], { stdio: 'pipe' });
        const [one, other] = [before, after].map((capture) => profileIn(cardOf(capture)));
        for (const first of [one, other]) {
            const joined = joinProfiles(one, other, first);
            for (const name of ['peak', 'allocated'])
                assert.deepEqual(changes(joined, name), changes(profileIn(path), name), name);
        }
    });

test('the tree is depth first, and no fact is lost', () => {
    const [one, other] = [BEFORE, AFTER].map((capture) => profileIn(cardOf(capture)));
    const { tree, metrics, facts } = joinProfiles(one, other, other);
    for (let n = 1; n < tree.count; n++)
        assert.ok(tree.parent[n] < n && tree.end[n] > n && tree.end[n] <= tree.end[tree.parent[n]]);
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    for (const metric of metrics) assert.equal(sum(metric.value), metric.total, metric.name);
    assert.equal(facts.count, tree.count);
});

test('what only one of them has is compared with nothing', () => {
    const one = profileIn(cardOf(BEFORE));
    const other = { ...one, metrics: one.metrics.slice(0, 1) };
    const joined = joinProfiles(one, other, one);
    assert.deepEqual(
        joined.metrics.slice(0, one.metrics.length).map(({ base }) => base !== undefined),
        one.metrics.map((_, i) => i === 0),
    );
});

test('a file is the same on another machine', () => {
    for (const [one, other] of [
        ['/usr/lib/python3.9/json/decoder.py', '/opt/py/lib/python3.13/json/decoder.py'],
        ['/a/site-packages/pandas/core/frame.py', 'C:\\venv\\Lib\\site-packages\\pandas\\core\\frame.py'],
        ['/home/me/job/etl.py', '/srv/job/etl.py'],
    ])
        assert.equal(fileKey(one), fileKey(other));
    assert.notEqual(fileKey('/x/site-packages/a/core.py'), fileKey('/x/site-packages/b/core.py'));
    assert.equal(fileKey(''), '');
});
