// SPDX-License-Identifier: Apache-2.0
// Runs in the card, before its policy: a link to code goes to the editor.
(() => {
    const editor = acquireVsCodeApi();
    document.getElementById('_defaultStyles')?.remove(); // the editor's, for pages without a style of their own
    addEventListener(
        'click',
        (event) => {
            const link = event.target instanceof Element && event.target.closest('a[href^="https://code.invalid/"]');
            if (!link) return;
            event.preventDefault();
            event.stopImmediatePropagation();
            editor.postMessage({ code: link.href });
        },
        true,
    );
})();
