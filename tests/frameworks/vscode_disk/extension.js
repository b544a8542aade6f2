// SPDX-License-Identifier: Apache-2.0
/* A folder of the disk as the file system disk: of an editor in a browser. vscode.mjs serves it below /disk. */
const vscode = require('vscode');

const at = (uri, what = '') => `${origin}/disk${encodeURI(uri.path)}${what}`;
let origin = '';

async function ask(uri, what, options) {
    const answer = await fetch(at(uri, what), options);
    if (!answer.ok) throw vscode.FileSystemError.FileNotFound(uri);
    return answer;
}

const disk = {
    onDidChangeFile: new vscode.EventEmitter().event,
    watch: () => new vscode.Disposable(() => {}),
    stat: async (uri) => (await ask(uri, '?stat')).json(),
    readDirectory: async (uri) => (await ask(uri, '?list')).json(),
    readFile: async (uri) => new Uint8Array(await (await ask(uri)).arrayBuffer()),
    writeFile: async (uri, body) => void (await ask(uri, '', { method: 'PUT', body })),
    createDirectory: () => {},
    delete: () => {},
    rename: () => {},
};

exports.activate = ({ extensionUri: { scheme, authority }, subscriptions }) => {
    origin = `${scheme}://${authority}`;
    subscriptions.push(vscode.workspace.registerFileSystemProvider('disk', disk, { isCaseSensitive: true }));
};
