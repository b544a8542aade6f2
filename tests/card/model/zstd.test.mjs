// SPDX-License-Identifier: Apache-2.0
/* The page's decoder of zstd, compared with zstd itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { decompress } from '../../../assets/src/payload/zstd.js';

const MORE_THAN_A_BLOCK = 300_000;

function packed(bytes, ...options) {
    const all = ['-c', '-q', `--stream-size=${bytes.length}`, ...options];
    return new Uint8Array(execFileSync('zstd', all, { input: bytes, maxBuffer: 2 ** 26 }));
}

/** Numbers that look random, the same each time. @param {number} seed */
function dice(seed) {
    let state = seed;
    return (most) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * most);
    };
}

/** @param {number} length @param {(i: number, roll: (most: number) => number) => number} make */
function bytesOf(length, make) {
    const roll = dice(length + 1);
    return Uint8Array.from({ length }, (_, i) => make(i, roll));
}

const words = (length) => {
    const roll = dice(7);
    const known = Array.from({ length: 500 }, () => `load_${roll(90_000).toString(36)}.py:${roll(400)}\n`);
    let text = '';
    while (text.length < length) text += known[roll(roll(known.length) + 1)];
    return Buffer.from(text.slice(0, length));
};

for (const [name, bytes] of [
    ['nothing', new Uint8Array()],
    ['one byte', Uint8Array.of(7)],
    ['a few', Buffer.from('main')],
    ['one byte, often', new Uint8Array(MORE_THAN_A_BLOCK).fill(3)],
    ['noise', bytesOf(MORE_THAN_A_BLOCK, (_, roll) => roll(256))],
    ['two letters', bytesOf(MORE_THAN_A_BLOCK, (_, roll) => roll(2))],
    ['small numbers', bytesOf(MORE_THAN_A_BLOCK, (_, roll) => roll(roll(roll(60) + 1) + 1))],
    ['a ramp', bytesOf(MORE_THAN_A_BLOCK, (i) => i >> 8)],
    ['noise, and a long way back the same', bytesOf(MORE_THAN_A_BLOCK, (i, roll) => (i < 150_000 ? roll(256) : i * i))],
    ['words', words(MORE_THAN_A_BLOCK)],
    ['few words', words(900)],
    ['words and noise', Buffer.concat([words(70_000), bytesOf(70_000, (_, roll) => roll(256)), words(120_000)])],
]) {
    test(`${name}, packed at each level, is the same`, () => {
        for (const level of ['--fast=5', '-1', '-3', '-6', '-12', '-19', '--ultra -22 --long=27'])
            assert.deepEqual(Buffer.from(decompress(packed(bytes, ...level.split(' ')))), Buffer.from(bytes), level);
    });
}

test('what was cut or changed ends, with an error or with other bytes', () => {
    const good = packed(words(20_000), '-19');
    const outcome = (bytes) => {
        try {
            return decompress(bytes).length;
        } catch {
            return -1;
        }
    };
    const cuts = Array.from({ length: 200 }, (_, i) => outcome(good.subarray(0, Math.floor((i * good.length) / 210))));
    assert.deepEqual([...new Set(cuts)], [-1]);
    const roll = dice(11);
    for (let i = 0; i < 3000; i++) {
        const bad = good.slice();
        bad[5 + roll(bad.length - 5)] = roll(256);
        assert.ok([-1, 20_000].includes(outcome(bad)));
    }
});
