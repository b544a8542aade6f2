// SPDX-License-Identifier: Apache-2.0
/* Files and folders of the workspace as inputs of the program. */
import * as vscode from 'vscode';

const MOST_FILES = 1000;
const MOST_BYTES = 1 << 30; // the editor hands a file over as a whole

export class TooLarge extends Error {
    constructor() {
        super('more than 1 GiB, or than 1,000 files. The command-line program has no such limit: profrender card');
    }
}

/** Adds what is at URI under PATH. Links are not followed: what a folder holds is shown, not what it points to. */
async function add(uri, path, files, left) {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if (type & vscode.FileType.Directory) {
        for (const [name, kind] of await vscode.workspace.fs.readDirectory(uri)) {
            if (kind === vscode.FileType.File || kind === vscode.FileType.Directory)
                await add(vscode.Uri.joinPath(uri, name), `${path}/${name}`, files, left);
        }
        return;
    }
    left.bytes -= size;
    left.files -= 1;
    if (left.bytes < 0 || left.files < 0) throw new TooLarge();
    files[path] = await vscode.workspace.fs.readFile(uri);
}

const nameOf = (uri) => uri.path.split('/').filter(Boolean).at(-1) ?? 'capture';

/** NAME, or NAME with a number, so that two inputs of one name are two. */
function free(name, taken) {
    let found = name;
    for (let number = 2; taken.has(found); number++) found = `${number}-${name}`;
    taken.add(found);
    return found;
}

/** @param {vscode.Uri[]} uris @returns {Promise<Record<string, Uint8Array>>} */
export async function readInputs(uris) {
    const files = {};
    const left = { bytes: MOST_BYTES, files: MOST_FILES };
    const taken = new Set();
    for (const uri of uris) await add(uri, free(nameOf(uri), taken), files, left);
    return files;
}
