// SPDX-License-Identifier: Apache-2.0
/* One card: gets { program, files, options } and answers { html, messages } or { error }. Ending it cancels. */
import { load, render } from 'profrender';

const port = typeof importScripts === 'undefined' ? require('node:worker_threads').parentPort : self;

async function answer({ program, files, options }) {
    load(program);
    try {
        return await render(files, options);
    } catch (error) {
        return { error: error.message };
    }
}

port.addEventListener('message', async ({ data }) => port.postMessage(await answer(data)));
port.start?.();
