// SPDX-License-Identifier: Apache-2.0
/* The editor of captures. A .bin is one if its first bytes say so; any other goes back to the editor's own view. */
import * as vscode from 'vscode';
import { readInputs } from './inputs.js';

const STARTS = [
    [0x6d, 0x65, 0x6d, 0x72, 0x61, 0x79, 0x00], // memray
    [0x04, 0x22, 0x4d, 0x18], // an LZ4 frame, as memray compresses
    [0x28, 0xb5, 0x2f, 0xfd], // zstd
    [0x1f, 0x8b], // gzip
];

/** @param {vscode.Uri} uri @param {Uint8Array} bytes */
const isForeign = (uri, bytes) =>
    /\.bin$/i.test(uri.path) && !STARTS.some((start) => start.every((byte, index) => bytes[index] === byte));

/** @implements {vscode.CustomReadonlyEditorProvider} */
export class CardEditor {
    /** @param {import('./panel.js').Panels} panels */
    constructor(panels) {
        this.panels = panels;
    }

    openCustomDocument(uri) {
        return { uri, dispose() {} };
    }

    /** Returns before the card is there: until then the panel says that it is being made. */
    resolveCustomEditor({ uri }, panel) {
        this.panels.show(panel, async () => {
            const files = await readInputs([uri]);
            if (!isForeign(uri, Object.values(files)[0])) return files;
            const column = panel.viewColumn;
            panel.dispose();
            await vscode.commands.executeCommand('vscode.openWith', uri, 'default', column);
            return null;
        });
    }
}
