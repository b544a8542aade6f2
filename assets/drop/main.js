// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page: files become a card by the program itself, which is in the page. Each call has a worker of its own;
 * the card is shown in a frame without rights to this page.
 */
import { el } from '../src/dom/elements.js';

/** @param {string} id @returns {any} */
const at = (id) => document.getElementById(id);

/** @param {string} id  of an element whose text is base64 of gzip */
async function unpacked(id) {
    const packed = Uint8Array.from(atob(at(id).textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const program = unpacked('program');
const workerAddress = URL.createObjectURL(new Blob([at('worker').textContent], { type: 'text/javascript' }));

/** @type {Worker | null} */
let worker = null;

/** @param {Error | string} why */
function fail(why) {
    at('error').textContent = String(why instanceof Error ? why.message : why).trim();
    at('error').hidden = false;
}

function stop() {
    worker?.terminate();
    worker = null;
    at('progress').hidden = true;
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

/** Names that differ, as two files may have one name and the program takes a file once. */
function named(files) {
    const seen = new Set();
    return [...files].map((file) => {
        const path = file.webkitRelativePath || file.name;
        let free = path;
        for (let i = 2; seen.has(free); i++) free = `${i}/${path}`;
        seen.add(free);
        return { path: free, file };
    });
}

/** @param {{ path: string, file: File }[]} files */
const label = (files) => files.map(({ path }) => path).join(', ');

function finished({ status, messages, output }, files, difference) {
    stop();
    if (status !== 0) {
        fail(messages || `the program ended with status ${status}`);
        return;
    }
    const name = difference ? `${files[0].path} → ${files[1].path}` : label(files);
    const card = { name, output, messages, files, difference };
    at('cards').append(el('li', {}, el('button', { class: 'btn ghost', onclick: () => show(card) }, name)));
    at('earlier').hidden = at('cards').childElementCount < 2;
    show(card);
}

/** @type {any} */
let shown = null;

async function show(card) {
    shown = card;
    at('error').hidden = true;
    at('said').textContent = card.messages.trim();
    at('name').textContent = card.name;
    at('other').hidden = card.files.length !== 2;
    at('other').textContent = card.difference ? 'As one card' : 'Show the difference';
    at('result').hidden = false;
    at('card').srcdoc = await card.output.text();
    at('card').title = `Card of ${card.name}`;
}

/** @param {{ path: string, file: File }[]} files @param {boolean} difference */
async function render(files, difference) {
    if (!files.length) return;
    stop();
    const all = files.reduce((sum, { file }) => sum + file.size, 0);
    const paths = files.map(({ path }) => path);
    const args = difference
        ? ['diff', '-o', '-', '--format', 'html', '--', ...paths]
        : ['card', '--native', 'off', '-o', '-', '--', ...paths];
    const own = (worker = new Worker(workerAddress));
    at('error').hidden = true;
    at('said').textContent = '';
    at('bar').removeAttribute('value');
    at('step').textContent = `${label(files)}, ${megabytes(all)}`;
    at('progress').hidden = false;
    own.onmessage = ({ data }) => {
        if (own !== worker) return;
        if (!('read' in data)) return finished(data, files, difference);
        at('bar').value = all ? Math.min(1, data.read / all) : 0;
        at('step').textContent = `${label(files)}: ${megabytes(data.read)} of ${megabytes(all)}`;
    };
    own.onerror = ({ message }) => {
        if (own !== worker) return;
        stop();
        fail(/memory/i.test(message) ? 'out of memory: a page may have 4 GB; the program itself has no such limit'
                                     : message || 'the program ended early');
    };
    own.postMessage({ program: await program, args, files });
}

/** @param {Iterable<File>} files */
const take = (files) => render(named(files), false).catch(fail);

function save() {
    const address = URL.createObjectURL(shown.output);
    const name = shown.name.split('/').pop().replace(/[^\w.-]+/g, '_');
    el('a', { href: address, download: `${name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

at('choose').addEventListener('change', ({ target }) => {
    take([...target.files]);
    target.value = '';
});
at('cancel').addEventListener('click', stop);
at('save').addEventListener('click', save);
at('other').addEventListener('click', () => render(shown.files, !shown.difference).catch(fail));
at('sample').addEventListener('click', async () => {
    const bytes = await unpacked('sample-data');
    take([new File([bytes], 'daily-sales.prz')]);
});
at('licences').addEventListener('toggle', async ({ target }) => {
    target.querySelector('pre').textContent = new TextDecoder().decode(await unpacked('licence-data'));
});
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
    document.addEventListener(name, (event) => {
        event.preventDefault();
        at('target').classList.toggle('over', name === 'dragenter' || name === 'dragover');
    });
document.addEventListener('drop', ({ dataTransfer }) => take([...(dataTransfer?.files ?? [])]));
document.addEventListener('paste', ({ clipboardData }) => {
    if (clipboardData?.files.length) take([...clipboardData.files]);
});
