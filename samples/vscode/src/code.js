// SPDX-License-Identifier: Apache-2.0
/* From a link of a card to a file of the workspace, also where the run was on another machine or in a container. */
import * as vscode from 'vscode';

/** What cards link to. No server has a name that ends in .invalid (RFC 2606). */
const HOST = 'https://code.invalid/';
export const SOURCE_URL = `${HOST}{file}#L{line}`;

async function isFile(uri) {
    try {
        return Boolean((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File);
    } catch {
        return false;
    }
}

/** @param {string} address of a link @returns {{ path: string, line: number } | null} */
export function parse(address) {
    if (!address.startsWith(HOST)) return null;
    const [path, line] = address.slice(HOST.length).split('#L');
    try {
        return { path: decodeURIComponent(path), line: Math.max(1, Number.parseInt(line, 10) || 1) };
    } catch {
        return null;
    }
}

/** The file of the workspace that ends like PATH in most of its folders; outside of the workspace nothing is opened. */
async function find(path) {
    const parts = path.split('/').filter((part) => part && part !== '.');
    if (parts.includes('..')) return null;
    for (let from = 0; from < parts.length; from++) {
        for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
            const inside = uri.path.split('/').filter(Boolean);
            const rest = from === 0 && inside.every((part, index) => parts[index] === part) ? inside.length : from;
            const found = vscode.Uri.joinPath(uri, ...parts.slice(rest));
            if (await isFile(found)) return found;
        }
    }
    return null;
}

/** Opens the line that a link of a card names, next to the card. */
export async function openCode(address) {
    const place = parse(address);
    const found = place && (await find(place.path));
    if (!found) {
        if (place) vscode.window.showWarningMessage(`No file of this workspace is ${place.path}.`);
        return;
    }
    const at = new vscode.Position(place.line - 1, 0);
    await vscode.window.showTextDocument(found, {
        viewColumn: vscode.ViewColumn.Beside,
        selection: new vscode.Range(at, at),
        preview: true,
    });
}
