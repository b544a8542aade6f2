// SPDX-License-Identifier: Apache-2.0
/* A panel of the editor that shows a card: while it is made, when it is there, and why it is not. */
import * as vscode from 'vscode';
import { openCode, SOURCE_URL } from './code.js';
import { readInputs } from './inputs.js';
import links from './links.page.js';
import { Cancelled } from './maker.js';

const DARK = [vscode.ColorThemeKind.Dark, vscode.ColorThemeKind.HighContrast];
const theme = () => (DARK.includes(vscode.window.activeColorTheme.kind) ? 'dark' : 'light');
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** A page of ours without a script; the editor's own colours. */
const page = (text) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{margin:2em;max-width:50em;white-space:pre-wrap;overflow-wrap:anywhere}</style></head>
<body>${escaped(text)}</body></html>`;

/** The card with our script first: the card's policy, which comes after it, allows no other than its own. */
const withLinks = (html) => html.replace(/<head[^>]*>/i, (head) => `${head}<script>${links}</script>`);

export class Panels {
    /** @param {import('./maker.js').Maker} maker */
    constructor(maker) {
        this.maker = maker;
        /** @type {Map<vscode.WebviewPanel, { html: string, name: string }>} */
        this.cards = new Map();
        /** @type {vscode.WebviewPanel | null} */
        this.active = null;
    }

    #activate(panel) {
        if (panel.active) this.active = panel;
        else if (this.active === panel) this.active = null;
        const card = Boolean(this.active && this.cards.has(this.active));
        vscode.commands.executeCommand('setContext', 'profrender.cardIsActive', card);
    }

    /**
     * @param {vscode.WebviewPanel} panel
     * @param {() => Promise<Record<string, Uint8Array> | null>} read the inputs; null if there is nothing to show
     * @param {object} options of render()
     */
    async show(panel, read, options = {}) {
        const cancel = new vscode.CancellationTokenSource();
        const { webview } = panel;
        let closed = false;
        panel.onDidDispose(() => {
            closed = true;
            cancel.cancel();
            this.cards.delete(panel);
            if (this.active === panel) this.active = null;
            this.#activate(panel);
        });
        panel.onDidChangeViewState(() => this.#activate(panel));
        webview.options = { enableScripts: true, localResourceRoots: [] };
        webview.onDidReceiveMessage(({ code }) => typeof code === 'string' && openCode(code));
        webview.html = page('Making the card …');
        try {
            const card = await this.#make(read, options, cancel.token);
            if (closed || !card) return;
            this.cards.set(panel, { html: card.html, name: panel.title });
            webview.html = withLinks(card.html);
            this.#activate(panel);
        } catch (error) {
            if (closed) return;
            webview.html = page(error instanceof Cancelled ? 'Cancelled.' : error.message);
        }
    }

    async #make(read, options, closed) {
        const place = { location: vscode.ProgressLocation.Notification, title: 'profrender', cancellable: true };
        return vscode.window.withProgress(place, async (progress, token) => {
            const either = new vscode.CancellationTokenSource();
            token.onCancellationRequested(() => either.cancel());
            closed.onCancellationRequested(() => either.cancel());
            const files = await read();
            if (!files) return null;
            const how = { theme: theme(), args: ['--source-url', SOURCE_URL], ...options };
            return this.maker.make(files, how, either.token);
        });
    }

    /** A panel of its own, for what is no single file. */
    async open(uris, title, options) {
        const panel = vscode.window.createWebviewPanel('profrender', title, vscode.ViewColumn.Active, {
            enableFindWidget: true,
            retainContextWhenHidden: true,
        });
        await this.show(panel, () => readInputs(uris), options);
    }

    async save() {
        const card = this.active && this.cards.get(this.active);
        if (!card) return;
        const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
        const name = `${card.name.replace(/[/\\]/g, '-')}.html`;
        const target = await vscode.window.showSaveDialog({
            defaultUri: folder && vscode.Uri.joinPath(folder, name),
            filters: { 'HTML': ['html'] },
        });
        if (target) await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(card.html));
    }
}
