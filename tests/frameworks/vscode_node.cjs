// SPDX-License-Identifier: Apache-2.0
/*
 * Makes a card as the extension does where it runs in node, as in VS Code on a desktop: node vscode_node.cjs EXTENSION
 * CAPTURE. The module vscode is a stand-in here, with what the making of a card uses of it; prints what the panel got.
 */
const { readFile, stat } = require('node:fs/promises');
const { Module } = require('node:module');
const { basename, join } = require('node:path');

const [extension, capture] = process.argv.slice(2);
const editors = {};
const messages = [];
const nothing = { dispose() {} };

class CancellationTokenSource {
    token = { isCancellationRequested: false, onCancellationRequested: () => nothing };
    cancel() {}
}

const vscode = {
    CancellationTokenSource,
    ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3 },
    FileType: { File: 1, Directory: 2 },
    ProgressLocation: { Notification: 15 },
    Uri: { joinPath: ({ path }, ...parts) => ({ path: join(path, ...parts) }) },
    commands: { registerCommand: () => nothing, executeCommand() {} },
    window: {
        activeColorTheme: { kind: 2 },
        registerCustomEditorProvider: (name, provider) => ((editors[name] = provider), nothing),
        withProgress: (how, work) => work({}, new CancellationTokenSource().token),
    },
    workspace: {
        fs: {
            readFile: async ({ path }) => new Uint8Array(await readFile(path)),
            stat: async ({ path }) => ({ type: 1, size: (await stat(path)).size }),
        },
    },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
require(join(extension, 'dist/extension.js')).activate({ extensionUri: { path: extension }, subscriptions: [] });

const webview = {
    onDidReceiveMessage: () => nothing,
    set html(text) {
        messages.push(text);
        if (messages.length === 2) console.log(JSON.stringify(messages));
    },
};
const panel = { webview, title: basename(capture), active: true, onDidDispose() {}, onDidChangeViewState() {} };
editors['profrender.card'].resolveCustomEditor({ uri: { path: capture } }, panel);
