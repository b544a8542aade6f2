// SPDX-License-Identifier: Apache-2.0
/* Cards in Visual Studio Code: an editor for captures, and commands for folders of runs and for two captures. */
import * as vscode from 'vscode';
import { CardEditor } from './editor.js';
import { Maker } from './maker.js';
import { Panels } from './panel.js';

const nameOf = (uri) => uri.path.split('/').at(-1);

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
    const panels = new Panels(new Maker(context.extensionUri));
    const editor = new CardEditor(panels);
    const options = { webviewOptions: { enableFindWidget: true, retainContextWhenHidden: true } };
    const chosen = (uri, uris) => (uris?.length ? uris : [uri]);
    context.subscriptions.push(
        vscode.window.registerCustomEditorProvider('profrender.card', editor, options),
        vscode.window.registerCustomEditorProvider('profrender.card.option', editor, options),
        vscode.commands.registerCommand('profrender.open', (uri, uris) => {
            const inputs = chosen(uri, uris);
            return panels.open(inputs, inputs.map(nameOf).join(', '), {});
        }),
        vscode.commands.registerCommand('profrender.compare', (uri, uris) => {
            const inputs = chosen(uri, uris);
            const title = inputs.map(nameOf).join(' → ');
            return panels.open(inputs, title, { difference: true });
        }),
        vscode.commands.registerCommand('profrender.save', () => panels.save()),
    );
}
