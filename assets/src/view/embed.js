// SPDX-License-Identifier: Apache-2.0
/* In a frame of another page: tells that page how high this one is, to avoid scrolling twice. */
import { listen } from '../dom/elements.js';

export function tellHeight() {
    if (window['parent'] === window) return;
    const tell = () =>
        window['parent'].postMessage({ type: 'profrender:height', height: document.documentElement.offsetHeight }, '*');
    new ResizeObserver(tell).observe(document.documentElement);
    // Once more when all is loaded: the page around it may have begun to listen only now.
    listen(window, 'load', tell);
}
