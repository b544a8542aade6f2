// SPDX-License-Identifier: Apache-2.0
/* The npm package as its users get it: packed, installed, used in node, in threads, by TypeScript and in a bundle. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { CHROMIUM, FOLDER, ROOT, native, sample, scratch, serve, skip } from './pages.mjs';

const NAME = 'daily-sales.bin';
const user = join(scratch, 'user');
const installed = join(user, 'node_modules/profrender');
const card = () => native('card', '--native', 'off', '-o', '-', '--', NAME).toString();
let profrender;

before(async () => {
    if (skip) return;
    mkdirSync(user);
    const npm = (...words) => execFileSync('npm', words, { cwd: user, encoding: 'utf8' });
    const packed = npm('pack', '--silent', join(FOLDER, 'package')).trim();
    writeFileSync(join(user, 'package.json'), '{"name": "user", "type": "module"}');
    npm('install', '--silent', '--offline', '--no-audit', '--no-fund', `./${packed}`);
    profrender = await import(pathToFileURL(join(installed, 'node.mjs')).href);
});

test('installed, it is a command and a module, with a licence of all that is in it', { skip }, () => {
    const command = join(user, 'node_modules/.bin/profrender');
    assert.match(execFileSync(command, ['--version'], { encoding: 'utf8' }), /^profrender \d/);
    const script = "import('profrender').then(({ render }) => console.log(typeof render))";
    assert.equal(execFileSync(process.execPath, ['-e', script], { cwd: user, encoding: 'utf8' }), 'function\n');
    for (const name of ['browser_wasi_shim', 'libzstd-dev', 'libcmark-dev'])
        assert.ok(existsSync(join(installed, 'licenses', name)), name);
});

test('bytes become the native card', { skip }, async () => {
    const bytes = readFileSync(sample(NAME));
    const { html, messages } = await profrender.render({ [NAME]: bytes });
    assert.ok(html === card());
    assert.equal(messages, '');
    const part = new Uint8Array(bytes.length + 7).fill(1);
    part.set(bytes, 7);
    const options = { theme: 'dark', title: '--a "title"' };
    const { html: dark } = await profrender.render({ [NAME]: part.subarray(7) }, options);
    assert.match(dark, /data-theme='dark'/);
    assert.match(dark, /<title>--a &quot;title&quot;<\/title>|<title>--a "title"<\/title>/);
});

test('two inputs are a difference, a folder is a run, and calls at once do not mix', { skip }, async () => {
    const names = ['threads_named-py3.13-memray1.20.0-default.bin', 'threads_named-py3.8-memray1.19.1-default.bin'];
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(sample(name))]));
    const run = { 'nightly/run.json': readFileSync(sample('nightly/run.json')) };
    const [one, two, three] = await Promise.all([
        profrender.render(files, { difference: true, title: 'A', theme: 'dark' }),
        profrender.run(['summary', names[0]], files),
        profrender.run(['info', '--json', 'nightly'], run),
    ]);
    const words = ['-o', '-', '--format', 'html', '--title', 'A', '--theme', 'dark', '--', ...names];
    assert.ok(one.html === native('diff', ...words).toString());
    assert.equal(new TextDecoder().decode(two.output), native('summary', names[0]).toString());
    assert.equal(three.status, 0, three.messages);
    JSON.parse(new TextDecoder().decode(three.output));
});

test('what cannot be rendered is an error with the words and the status of the program', { skip }, async () => {
    const letter = new TextEncoder().encode('Dear Sir, ');
    await assert.rejects(profrender.render({ 'letter.bin': letter }), (why) => {
        assert.ok(why instanceof profrender.ProfrenderError);
        assert.match(why.message, /letter\.bin: no known format/);
        assert.equal(why.status, 3);
        return true;
    });
    for (const path of ['../x', '/x', 'a//b', '', './x'])
        await assert.rejects(profrender.render({ [path]: letter }), TypeError);
    await assert.rejects(profrender.render({ x: 'main;f 1' }), TypeError);
    await assert.rejects(profrender.render({}), profrender.ProfrenderError);
    await assert.rejects(profrender.render(letter, { args: ['--no-such-option'] }), /no-such-option/);
});

test('it works in a thread of node', { skip }, async () => {
    writeFileSync(
        join(user, 'thread.mjs'),
        `import { parentPort, workerData } from 'node:worker_threads';
import { render } from 'profrender';
parentPort.postMessage((await render({ '${NAME}': workerData })).html);
`,
    );
    const thread = new Worker(join(user, 'thread.mjs'), { workerData: readFileSync(sample(NAME)) });
    const html = await new Promise((done, failed) => thread.once('message', done).once('error', failed));
    assert.ok(html === card());
});

test('its types are right for who uses it in TypeScript', { skip }, () => {
    writeFileSync(
        join(user, 'use.ts'),
        `import { ProfrenderError, load, render, run } from 'profrender';
import type { Answer, Card } from 'profrender';
const card: Card = await render(new Uint8Array(3), { theme: 'dark', difference: false, args: ['--redact'] });
const answer: Answer = await run(['info', 'x'], { x: new ArrayBuffer(2) });
load(async () => answer.output);
try {
    await render({ 'run/run.json': new DataView(new ArrayBuffer(1)) });
} catch (why) {
    if (why instanceof ProfrenderError) console.log(why.status.toFixed(), card.html.length);
}
// @ts-expect-error: no such theme
await render(new Uint8Array(), { theme: 'blue' });
// @ts-expect-error: a path is no bytes
await render('capture.bin');
`,
    );
    const compiler = createRequire(join(ROOT, 'package.json')).resolve('typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    execFileSync(process.execPath, [compiler, ...options, 'use.ts'], { cwd: user, stdio: 'pipe' });
});

test('a bundle of it works in a worker of a page', { skip }, async () => {
    writeFileSync(
        join(user, 'worker.js'),
        `import { render } from 'profrender';
self.onmessage = async ({ data }) => self.postMessage((await render({ '${NAME}': data })).html);
`,
    );
    const out = join(user, 'site');
    await build({
        ...{ entryPoints: [join(user, 'worker.js')], bundle: true, format: 'esm', platform: 'browser', outdir: out },
        ...{ absWorkingDir: user, logLevel: 'silent' },
    });
    cpSync(join(installed, 'profrender.wasm'), join(out, 'profrender.wasm'));
    const file = (path, type) => (answer) => answer.setHeader('Content-Type', type).end(readFileSync(path));
    const { address, close } = await serve({
        '/': (answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><title>x</title>'),
        '/worker.js': file(join(out, 'worker.js'), 'text/javascript'),
        '/profrender.wasm': file(join(out, 'profrender.wasm'), 'application/wasm'),
        '/capture': file(sample(NAME), 'application/octet-stream'),
    });
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const page = await browser.newPage();
    await page.goto(address);
    const html = await page.evaluate(async () => {
        const worker = new Worker('worker.js', { type: 'module' });
        const answer = new Promise((done, failed) => {
            worker.onmessage = ({ data }) => done(data);
            worker.onerror = ({ message }) => failed(new Error(message));
        });
        worker.postMessage(await (await fetch('capture')).arrayBuffer());
        return answer;
    });
    assert.ok(html === card());
    await browser.close();
    await close();
});
