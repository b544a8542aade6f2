// SPDX-License-Identifier: Apache-2.0
/*
 * What is different on Windows, as far as another system can show it: paths, which are text to the program, the drives,
 * which are folders here, and lines that end in CR and LF.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WASI } from 'node:wasi';
import { drives, posixPath, posixWord } from '../../platform/npm/windows.mjs';
import { FOLDER, sample, scratch, skip } from './pages.mjs';

const COMMAND = join(FOLDER, 'package/profrender.mjs');
const WASM = join(FOLDER, 'package/profrender.wasm');
const LINES = ['timeline/etl.mprof.dat', 'timeline/fail.stderr.txt', 'timeline/killed.gnu-time.txt',
    'timeline/fanout.psrecord.txt', 'cpu/etl.pyspy.folded', 'cpu/etl.full.austin.txt', 'cpu/multi.perf.txt'];

test('paths of Windows are those of the program', () => {
    const cases = { 'C:\\runs\\1.bin': '/c/runs/1.bin', 'd:/a b/ü.bin': '/d/a b/ü.bin', 'runs\\1.bin': 'runs/1.bin',
        '..\\1.bin': '../1.bin', '\\\\?\\C:\\long\\1.bin': '/c/long/1.bin', 'C:\\': '/c/', '1.bin': '1.bin' };
    for (const [windows, posix] of Object.entries(cases)) assert.equal(posixPath(windows), posix);
});

test('of the command line only paths change', () => {
    const there = new Set(['runs\\1.bin', 'out']);
    const exists = (path) => there.has(path);
    const cases = { 'runs\\1.bin': 'runs/1.bin', 'out\\new.html': 'out/new.html', '--root=C:\\app': '--root=/c/app',
        '--notes=out\\n.md': '--notes=out/n.md', 'C:\\x.bin': '/c/x.bin', 'a\\b': 'a\\b',
        '--title=a\\b': '--title=a\\b',
        'https://x.example/{file}#L{line}': 'https://x.example/{file}#L{line}', '-': '-', '--window': '--window' };
    for (const [word, wanted] of Object.entries(cases)) assert.equal(posixWord(word, exists), wanted);
});

test('each drive that is there can be opened', () => {
    assert.deepEqual(drives((path) => path === 'C:\\' || path === 'E:\\'), { '/c': 'C:\\', '/e': 'E:\\' });
});

test('the program works in a folder of a drive, with drives alone open', { skip }, async () => {
    const drive = join(scratch, 'drive');
    mkdirSync(join(drive, 'runs'), { recursive: true });
    writeFileSync(join(drive, 'runs/1.bin'), readFileSync(sample('daily-sales.bin')));
    const words = ['card', '-q', '--native', 'off', 'runs\\1.bin', '-o', 'C:\\runs\\1.html'];
    const args = ['profrender', ...words.map((word) => posixWord(word, (path) => path === 'runs\\1.bin'))];
    const env = { PWD: posixPath('C:\\') };
    const wasi = new WASI({ version: 'preview1', args, env, preopens: { '/c': drive }, returnOnExit: true });
    const { instance } = await WebAssembly.instantiate(readFileSync(WASM), { wasi_snapshot_preview1: wasi.wasiImport });
    assert.equal(wasi.start(instance), 0);
    assert.match(readFileSync(join(drive, 'runs/1.html'), 'latin1'), /^<!doctype html>/);
});

for (const name of LINES)
    test(`${name}: lines that end in CR and LF are the same`, { skip }, () => {
        const [one, other] = ['', '\r'].map((end) => {
            const folder = join(scratch, `lines${end.length}`, name.replace(/\W/g, '-'));
            mkdirSync(folder, { recursive: true });
            const text = readFileSync(sample(name), 'latin1').replace(/\n/g, `${end}\n`);
            writeFileSync(join(folder, 'input'), text, 'latin1');
            const said = execFileSync(process.execPath, [COMMAND, 'info', '--json', 'input'], { cwd: folder });
            const { size_bytes: _, ...rest } = JSON.parse(said);
            return rest;
        });
        assert.deepEqual(one, other);
    });
