// SPDX-License-Identifier: Apache-2.0
/* The part of its width that a graph shows, whoever wrote the address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acrossText, readAcross, zoomedAcross } from '../../../assets/src/model/across.js';

test('what an address asks for is a part that can be shown', () => {
    for (const [asked, scale, left] of [
        ['', 1, 0],
        ['0-0', 1, 0],
        ['8-0.25', 8, 0.25],
        ['2-5', 2, 0.5],
        [`${'9'.repeat(310)}-0`, 1e5, 0],
    ])
        assert.deepEqual(readAcross(asked), { scale, left }, asked);
    assert.equal(acrossText(NaN, 0), '');
});

test('small steps of a trackpad add up; at the limit the picture stays where it is', () => {
    let across = '';
    for (let i = 0; i < 1000; i++) across = zoomedAcross(across, 0.5, 1.0004);
    assert.ok(Math.abs(readAcross(across).scale - 1.0004 ** 1000) < 1e-3, across);
    const most = acrossText(1e5, 0.25);
    assert.equal(zoomedAcross(most, 0.75, 1.5), most);
});
