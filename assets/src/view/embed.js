// SPDX-License-Identifier: Apache-2.0
/* In a frame of another page: tells that page how high this one is, so that it need not scroll twice. */

export function tellHeight() {
    if (window.parent === window)
        return;
    const tell = () => window.parent.postMessage({ type: 'profrender:height', height: document.documentElement.offsetHeight }, '*');
    new ResizeObserver(tell).observe(document.documentElement);
    tell();
}
