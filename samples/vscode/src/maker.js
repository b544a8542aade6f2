// SPDX-License-Identifier: Apache-2.0
/* Makes cards in a worker: of node, where the extension runs in node, else of the browser. */
import * as vscode from 'vscode';

export class Cancelled extends Error {}

function startWorker(source) {
    if (typeof Worker === 'undefined') {
        const { Worker: NodeWorker } = require('node:worker_threads');
        return new NodeWorker(new TextDecoder().decode(source), { eval: true });
    }
    // The editor's own Worker loads the script later: the address stays until the worker ends.
    const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const worker = new Worker(address);
    const end = worker.terminate.bind(worker);
    worker.terminate = () => {
        URL.revokeObjectURL(address);
        end();
    };
    return worker;
}

/** Node's workers emit values, those of browsers events. */
function listen(worker, onanswer, onerror) {
    if (worker.on) {
        worker.on('message', onanswer);
        worker.on('error', onerror);
    } else {
        worker.onmessage = ({ data }) => onanswer(data);
        worker.onerror = (event) => onerror(new Error(event.message));
    }
}

export class Maker {
    /** @param {vscode.Uri} folder of the extension */
    constructor(folder) {
        const read = (name) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, 'dist', name));
        this.parts = Promise.all([read('worker.js'), read('profrender.wasm')]);
        this.parts.catch(() => {}); // whoever makes a card is told
    }

    /**
     * @param {Record<string, Uint8Array>} files by path; each first name of a path is an input
     * @param {object} options of render() in the package profrender
     * @param {vscode.CancellationToken} token
     * @returns {Promise<{ html: string, messages: string }>} rejects with the program's own words, or Cancelled
     */
    async make(files, options, token) {
        const [source, program] = await this.parts;
        const worker = startWorker(source);
        let stop;
        try {
            const answer = await new Promise((resolve, reject) => {
                stop = token.onCancellationRequested(() => reject(new Cancelled()));
                if (token.isCancellationRequested) reject(new Cancelled());
                listen(worker, resolve, reject);
                worker.postMessage({ program, files, options });
            });
            if (answer.error !== undefined) throw new Error(answer.error);
            return answer;
        } finally {
            stop?.dispose();
            worker.terminate();
        }
    }
}
