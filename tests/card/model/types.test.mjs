// SPDX-License-Identifier: Apache-2.0
/* The types in the comments hold. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('tsc finds nothing', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const { stdout, status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'assets'], {
        cwd: root,
        encoding: 'utf8',
    });
    assert.equal(stdout, '');
    assert.equal(status, 0);
});
