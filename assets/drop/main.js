// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page: files become a card by the program itself, which is in the page. Each call has a worker of its own;
 * the card is shown in a frame without rights to this page.
 */
import { XzReadableStream } from 'xz-decompress';
import { el } from '../src/dom/elements.js';
import { decode85 } from './base85.js';
import { keep, lock, namedFiles, namesDifference } from './served.js';

/** @param {string} id @returns {any} */
const at = (id) => document.getElementById(id);

/**
 * xz packs the program by a fifth better than gzip, which is worth a decoder of 20 kB.
 * @param {string} id  of an element whose text is bytes
 */
const unpacked = (id) =>
    new Response(new XzReadableStream(new Blob([decode85(at(id).textContent)]).stream())).arrayBuffer();

const program = unpacked('program');
const workerAddress = URL.createObjectURL(new Blob([at('worker').textContent], { type: 'text/javascript' }));

/** @type {Worker | null} */
let worker = null;

const fetching = new AbortController();

/** @param {Error | string} why */
function fail(why) {
    at('error').textContent = String(why instanceof Error ? why.message : why).trim();
    at('error').hidden = false;
}

function stop() {
    fetching.abort();
    lock();
    worker?.terminate();
    worker = null;
    at('progress').hidden = true;
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

/**
 * What the program is given as one input: a file, or a folder with all of its files.
 * @typedef {{ name: string, isFolder: boolean, files: { path: string, file: File }[] }} Input
 */

/** Names that differ, as two inputs may have one name and the program takes an input once. @param {Input[]} inputs */
function named(inputs) {
    const seen = new Set();
    return inputs.map(({ name, isFolder, files }) => {
        let free = name;
        for (let i = 2; seen.has(free); i++) free = `${i}/${name}`;
        seen.add(free);
        return { name: free, isFolder, files: files.map(({ path, file }) => ({ path: free + path, file })) };
    });
}

/** @param {Iterable<File>} files  paths of a chosen folder begin with its name */
function inputsOf(files) {
    /** @type {Map<string, Input>} */
    const folders = new Map();
    /** @type {Input[]} */
    const inputs = [];
    for (const file of files) {
        const [name, ...rest] = (file.webkitRelativePath || file.name).split('/');
        const known = rest.length ? folders.get(name) : undefined;
        const input = known ?? { name, isFolder: rest.length > 0, files: [] };
        input.files.push({ path: rest.map((part) => `/${part}`).join(''), file });
        if (known) continue;
        inputs.push(input);
        if (rest.length) folders.set(name, input);
    }
    return inputs;
}

/** All files below a handle or an entry that was dropped; entries of a page on disk cannot be read in Chromium. */
async function filesBelow(node, path) {
    if (node.kind === 'file') return [{ path, file: await node.getFile() }];
    if (node.isFile) return [{ path, file: await new Promise((done, failed) => node.file(done, failed)) }];
    const children = [];
    if (node.kind === 'directory') {
        for await (const child of node.values()) children.push(child);
    } else {
        const reader = node.createReader();
        for (;;) {
            const some = await new Promise((done, failed) => reader.readEntries(done, failed)); // a hundred at a time
            if (!some.length) break;
            children.push(...some);
        }
    }
    const found = await Promise.all(children.map((child) => filesBelow(child, `${path}/${child.name}`)));
    return found.flat();
}

/** What was dropped, folders too. All is asked for before the event ends. @param {DataTransfer} transfer */
async function dropped(transfer) {
    const items = [...transfer.items].filter(({ kind }) => kind === 'file');
    const files = inputsOf(transfer.files);
    const entries = items.map((item) => item.webkitGetAsEntry?.());
    if (!entries.some((entry) => entry?.isDirectory)) return files;
    const handles = await Promise.all(items.map((item) => /** @type {any} */ (item).getAsFileSystemHandle?.()));
    const nodes = handles.every(Boolean) ? handles : entries;
    return Promise.all(nodes.map(async (node) => ({
        name: node.name,
        isFolder: node.isDirectory ?? node.kind === 'directory',
        files: await filesBelow(node, ''),
    })));
}

/** @param {Input[]} inputs */
const label = (inputs) => inputs.map(({ name }) => name).join(', ');

function finished({ status, messages, output }, inputs, difference) {
    stop();
    if (status !== 0) {
        fail(messages || `the program ended with status ${status}`);
        return;
    }
    const name = difference ? `${inputs[0].name} → ${inputs[1].name}` : label(inputs);
    const card = { name, output, messages, inputs, difference };
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
    at('other').hidden = card.inputs.length !== 2 || card.inputs.some(({ isFolder }) => isFolder);
    at('other').textContent = card.difference ? 'As one card' : 'Show the difference';
    at('result').hidden = false;
    at('card').srcdoc = await card.output.text();
    at('card').title = `Card of ${card.name}`;
}

/** @param {Input[]} inputs @param {boolean} difference */
async function render(inputs, difference) {
    if (!inputs.length) return;
    stop();
    const files = inputs.flatMap((input) => input.files);
    const all = files.reduce((sum, { file }) => sum + file.size, 0);
    const paths = inputs.map(({ name }) => name);
    const args = difference
        ? ['diff', '-o', '-', '--format', 'html', '--', ...paths]
        : ['card', '--native', 'off', '-o', '-', '--', ...paths];
    const own = (worker = new Worker(workerAddress));
    at('error').hidden = true;
    at('said').textContent = '';
    at('bar').removeAttribute('value');
    at('step').textContent = `${label(inputs)}, ${megabytes(all)}`;
    at('progress').hidden = false;
    own.onmessage = ({ data }) => {
        if (own !== worker) return;
        if (!('read' in data)) return finished(data, inputs, difference);
        at('bar').value = all ? Math.min(1, data.read / all) : 0;
        at('step').textContent = `${label(inputs)}: ${megabytes(data.read)} of ${megabytes(all)}`;
    };
    own.onerror = ({ message }) => {
        if (own !== worker) return;
        stop();
        fail(/memory/i.test(message) ? 'out of memory: a page is limited to 4 GB; the program itself is not'
                                     : message || 'the program ended early');
    };
    own.postMessage({ program: await program, args, files });
}

/** @param {Promise<Input[]> | Input[]} given @param {(inputs: Input[]) => boolean} areRuns  their difference */
async function take(given, areRuns = (inputs) => inputs.every(({ isFolder }) => isFolder)) {
    try {
        const inputs = named(await given);
        await render(inputs, inputs.length === 2 && areRuns(inputs));
    } catch (why) {
        fail(/** @type {Error} */ (why));
    }
}

/** Opens what the address of the page names. */
async function takeNamed() {
    const read = new Map();
    const onread = (name, bytes) => {
        read.set(name, (read.get(name) ?? 0) + bytes);
        at('progress').hidden = false;
        at('bar').removeAttribute('value');
        at('step').textContent = `${name}: ${megabytes(read.get(name))} from the server`;
    };
    const files = await namedFiles(onread, fetching.signal).catch((why) => {
        at('progress').hidden = true;
        if (!fetching.signal.aborted) fail(why);
        return [];
    });
    if (!fetching.signal.aborted) take(inputsOf(files), () => namesDifference);
}

function save() {
    const address = URL.createObjectURL(shown.output);
    const name = shown.name.split('/').pop().replace(/[^\w.-]+/g, '_');
    el('a', { href: address, download: `${name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

for (const id of ['choose', 'folder'])
    at(id).addEventListener('change', ({ target }) => {
        take(inputsOf(target.files));
        target.value = '';
    });
at('cancel').addEventListener('click', stop);
at('save').addEventListener('click', save);
at('other').addEventListener('click', () => render(shown.inputs, !shown.difference).catch(fail));
at('sample').addEventListener('click', async () => {
    const bytes = await unpacked('sample-data');
    take(inputsOf([new File([bytes], 'nightly.prz')]));
});
at('licences').addEventListener('toggle', async ({ target }) => {
    target.querySelector('pre').textContent = new TextDecoder().decode(await unpacked('licence-data'));
});
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
    document.addEventListener(name, (event) => {
        event.preventDefault();
        at('target').classList.toggle('over', name === 'dragenter' || name === 'dragover');
    });
document.addEventListener('drop', ({ dataTransfer }) => dataTransfer && take(dropped(dataTransfer)));
document.addEventListener('paste', ({ clipboardData }) => {
    const text = clipboardData?.getData('text/plain');
    if (clipboardData?.files.length) take(inputsOf(clipboardData.files));
    else if (text) take(inputsOf([new File([text], 'pasted.txt')]));
});
takeNamed();
keep();
