// SPDX-License-Identifier: Apache-2.0
/* What tests of the drop page share: files that are dropped, and a server on loopback that notes each request. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const FOLDER = join(ROOT, 'build/wasm');
export const PAGE = join(FOLDER, 'drop.html');
export const ON_DISK = pathToFileURL(PAGE).href;
export { CHROMIUM } from '../support/chromium.mjs';
const LIMIT_MS = 120_000;
export const skip = existsSync(PAGE) ? false : 'build/wasm/drop.html was not built: make wasm says why';
export const sample = (name) => join(ROOT, 'samples', name);
export const scratch = mkdtempSync(join(tmpdir(), 'profrender-drop-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Opens the page, collects what it asks of others and what goes wrong, and gives it to WORK. */
export async function onPage(browser, work, address = ON_DISK) {
    const context = await browser.newContext({ acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    const requests = [];
    const errors = [];
    page.on('request', (request) => {
        if (!/^(?:blob|data|about):/.test(request.url()) && request.url() !== address) requests.push(request.url());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(address);
    await work(page, { requests, errors });
    await context.close();
    return { requests, errors };
}

/** Drops files, as a hand does: a drop event with the files themselves. */
export async function drop(page, ...paths) {
    const files = paths.map((path) => [basename(path), readFileSync(path).toString('base64')]);
    await page.evaluate((given) => {
        const transfer = new DataTransfer();
        for (const [name, text] of given)
            transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, files);
}

export async function savedCard(page) {
    await page.locator('#result').waitFor({ state: 'visible' });
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    return readFileSync(await download.path());
}

/** What the native program writes, called in a folder. */
export const nativeIn = (cwd, ...words) =>
    execFileSync(join(ROOT, 'build/profrender'), words, { cwd, maxBuffer: 2 ** 28 });
export const native = (...words) => nativeIn(dirname(sample('x')), ...words);

/**
 * Runs in a page: everything by which a script could send something to ADDRESS.
 * @param {string} address
 */
export async function leak(address) {
    const tries = [
        () => fetch(`${address}/fetch`, { mode: 'no-cors' }),
        () => navigator.sendBeacon(`${address}/beacon`, 'x'),
        () => new WebSocket(address.replace('http', 'ws')),
        () => document.body.append(Object.assign(new Image(), { src: `${address}/image` })),
        () => document.body.append(Object.assign(document.createElement('script'), { src: `${address}/script` })),
        () => document.body.append(Object.assign(document.createElement('iframe'), { src: `${address}/frame` })),
    ];
    for (const attempt of tries)
        try {
            await attempt();
        } catch {
            continue;
        }
    await new Promise((done) => setTimeout(done, 500));
}

/**
 * A server on loopback. ANSWERS has what it sends by path; all else is 404. asked: the paths of all requests.
 * @param {Record<string, (answer: import('node:http').ServerResponse) => void>} answers
 */
export async function serve(answers = {}) {
    const asked = [];
    const server = createServer((request, answer) => {
        const { pathname } = new URL(request.url, 'http://x');
        asked.push(pathname);
        if (answers[pathname]) answers[pathname](answer);
        else answer.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const close = () => {
        server.closeAllConnections();
        return new Promise((done) => server.close(done));
    };
    return { address: `http://127.0.0.1:${server.address().port}`, asked, close };
}
