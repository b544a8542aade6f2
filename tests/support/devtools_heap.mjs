// SPDX-License-Identifier: Apache-2.0
/*
 * Chrome DevTools' own figures for heap snapshots of V8, by the code of its worker, which esbuild turns from TypeScript
 * into one script:
 *
 *     node devtools_heap.mjs DEVTOOLS SCRIPT SNAPSHOT...
 *
 * DEVTOOLS is the folder of its npm package, SCRIPT the file to make if it is not there. It prints a line of JSON for
 * each snapshot: what the root retains, and for each class that both name how many objects there are and what they
 * retain.
 */
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { build } from 'esbuild';

const [devtools, script, ...snapshots] = process.argv.slice(2);

/** The build of DevTools makes this list of languages; no figure depends on it. */
const locales = {
    name: 'locales',
    setup(make) {
        const contents = "export const LOCALES = ['en-US'], BUNDLED_LOCALES = LOCALES, DEFAULT_LOCALE = LOCALES[0], " +
            "REMOTE_FETCH_PATTERN = '', LOCAL_FETCH_PATTERN = '';";
        make.onResolve({ filter: /\/locales\.js$/ }, ({ path }) => ({ path, namespace: 'locales' }));
        make.onLoad({ filter: /.*/, namespace: 'locales' }, () => ({ contents }));
    },
};

/** Node 22 and later have it. */
Promise.withResolvers ??= () => {
    const made = {};
    made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
    return made;
};

async function worker() {
    if (!existsSync(script)) await makeScript();
    return import(pathToFileURL(script));
}

function makeScript() {
    return build({
        entryPoints: [join(devtools, 'front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker.ts')],
        outfile: script,
        bundle: true,
        format: 'esm',
        platform: 'node',
        logLevel: 'error',
        plugins: [locales],
    });
}

async function load({ HeapSnapshot, HeapSnapshotLoader }, path) {
    const { port1, port2 } = new MessageChannel();
    const loader = new HeapSnapshotLoader.HeapSnapshotLoader({ sendEvent() {} });
    new HeapSnapshot.SecondaryInitManager(port2);
    for await (const text of createReadStream(path, 'utf8')) loader.write(text);
    loader.close();
    const snapshot = await loader.buildSnapshot(port1);
    port1.close();
    port2.close();
    return snapshot;
}

/*
 * Not compared: plain objects, which have made-up names there; what it adds to the objects that own it; roots; several
 * places of a class, which are one here. It finds some objects to be detached itself: names are without that word.
 */
const APART = ['Object', '(array)', '(system)', '(synthetic)'];

/** How many objects of each class take nothing themselves: DevTools leaves them out when it counts. */
function empties(snapshot) {
    const node = snapshot.rootNode(), { nodeFieldCount, nodes } = snapshot;
    const found = new Map();
    for (node.nodeIndex = 0; node.nodeIndex < nodes.length; node.nodeIndex += nodeFieldCount)
        if (!node.selfSize()) found.set(node.className(), (found.get(node.className()) ?? 0) + 1);
    return found;
}

function classesOf(snapshot) {
    const named = new Map(), empty = empties(snapshot);
    for (const each of Object.values(snapshot.getAggregatesByClassKey(false))) {
        const name = each.name.replace(/^Detached /, '');
        const isApart = APART.includes(name) || name.startsWith('{');
        if (!isApart) named.set(name, named.has(name) ? null : [each.count + (empty.get(each.name) ?? 0), each.maxRet]);
    }
    return Object.fromEntries([...named].filter(([, figures]) => figures));
}

const code = await worker();
for (const path of snapshots) {
    const snapshot = await load(code, path);
    console.log(JSON.stringify({ retained: snapshot.rootNode().retainedSize(), classes: classesOf(snapshot) }));
}
