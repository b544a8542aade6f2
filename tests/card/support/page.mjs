// SPDX-License-Identifier: Apache-2.0
/*
 * A page around a payload, for trees that no capture has: the template, the built script and stylesheet, and the mounts
 * of doc/formats/payload.md, without the static parts.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './browser.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

const TABS = [
    ['peak', 'Peak', 0],
    ['leaks', 'Not freed', 1],
];

const tab = ([name, title, metric], i) => `<button type="button" role="tab" id="t-${name}" data-tab="${name}"
data-metric="${metric}" aria-controls="panel-graph"
aria-selected="${i === 0}"${i === 0 ? '' : ' tabindex="-1"'}>${title}</button>`;

const MAIN = `<section class="panel"><div class="head"><h2 id="h-time">Timeline</h2>
<div class="push" data-live data-mount="jumps" hidden></div></div>
<div class="tl" data-live data-mount="timeline" hidden></div></section>
<section class="panel" id="profile"><div data-live hidden>
<div class="tabline"><div class="tabs" role="tablist" aria-label="Metrics" data-mount="tabs">
${TABS.map(tab).join('')}</div></div>
<div class="bar" role="toolbar" aria-label="What the views show" data-mount="toolbar"></div>
<div role="tabpanel" id="panel-graph" aria-labelledby="t-peak" tabindex="0">
<div class="crumbs" data-mount="crumbs"></div>
<div class="split"><div class="left"><div class="graph" data-mount="graph"></div>
<div class="mini" data-mount="mini"></div></div>
<section class="side" aria-label="Selected frame" data-mount="side"></section></div></div>
<div role="tabpanel" id="panel-table" aria-labelledby="t-peak" tabindex="0" data-mount="table" hidden></div></div>
<div data-static>static</div></section>`;

/** @param {string} payload  base64 @returns {string} HTML */
export function pageAround(payload) {
    const script = read('build/assets/card.js');
    const style = read('build/assets/card.css');
    const words = {
        state: 'ok',
        theme: '',
        title: 'test',
        header: '<div class="actions" data-live data-mount="actions" hidden></div>',
        main: MAIN,
        footer: '',
        style: `<style>${style}</style>`,
        script: `<script>${script}</script>`,
        payload,
        sources: '',
        rest: '',
        'style-policy': hash(style),
        'script-policy': hash(script),
    };
    return read('templates/card.html').replace(/\{\{([a-z-]+)\}\}/g, (_, name) => {
        if (!(name in words)) throw new Error(`the template has {{${name}}}, which this page does not know`);
        return words[name];
    });
}
