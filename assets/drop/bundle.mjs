// SPDX-License-Identifier: Apache-2.0
/*
 * The drop page as one file, for disks and servers:
 *
 *     node assets/drop/bundle.mjs build/wasm/package build/assets build/wasm/drop.html
 *
 * The first folder has the WebAssembly program with its licences, the second what cards carry, as C. A card is shown in
 * a frame that inherits this page's policy, so the policy names every script and style that a card may have. It allows
 * no connection.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { builtPieces } from '../built_pieces.mjs';
import { darkTheme, inlineable } from '../inline.mjs';
import { setsOfCards, textOf } from '../pieces.mjs';
import { encode85 } from './base85.js';

const [folder, assets, out] = process.argv.slice(2);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const command = [join(folder, 'profrender.mjs')];

async function bundle(entry) {
    const { outputFiles } = await build({
        entryPoints: [here(entry)],
        bundle: true,
        write: false,
        minify: true,
        format: 'iife',
        target: 'es2020',
        charset: 'ascii',
        legalComments: 'none',
        logLevel: 'warning',
        plugins: [darkTheme],
    });
    return inlineable(outputFiles[0].text, entry);
}

/* Neither machine code for WebAssembly nor text is aligned: no bits of the position, and more of the byte before. */
const XZ = ['--check=crc32', '--lzma2=preset=9e,lc=4,pb=0', '-c'];
const packed = (input) => encode85(execFileSync('xz', XZ, { input, maxBuffer: 2 ** 26 }));
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const inCards = readFileSync(join(assets, 'assets.c'), 'latin1');

/** Hashes of what a card may carry: a script, or a style, for each set of parts. @param {'script' | 'style'} name */
function card(name) {
    const pieces = builtPieces(inCards, name);
    const hashes = setsOfCards().map((set) => hash(textOf(pieces, set)));
    return [...new Set(hashes)].join(' ');
}

/** The names of the formats: what the program says when asked for one that does not exist. */
function formats() {
    const { stderr } = spawnSync(process.execPath, [...command, 'info', '--input-format', 'which?', command[0]]);
    const [, names] = /t takes (.*)$/m.exec(stderr.toString()) ?? [];
    if (!names) throw new Error(`no list of formats in: ${stderr}`);
    return names.split(', ').map((name) => `<li>${name.replace(/\W+$/, '')}</li>`);
}

/** A saved profile: far smaller than the capture it is of. */
function sample() {
    const scratch = mkdtempSync(join(tmpdir(), 'profrender-drop-'));
    const digest = join(scratch, 'sample.prz');
    execFileSync(process.execPath, [...command, 'digest', here('../../samples/nightly'), '-o', digest]);
    const bytes = readFileSync(digest);
    rmSync(scratch, { recursive: true });
    return bytes;
}

function licences() {
    const names = readdirSync(join(folder, 'licenses')).sort();
    const ofProgram = names.map((name) => `${name}\n\n${readFileSync(join(folder, 'licenses', name))}`);
    return [...ofProgram, readFileSync(here('xz-decompress.licence'))].join('\n\n');
}

const style = await bundle('drop.css');
const script = await bundle('main.js');
const parts = {
    styles: `${hash(style)} ${card('style')}`,
    scripts: `${hash(script)} ${card('script')}`,
    style,
    script,
    worker: await bundle('worker.js'),
    program: packed(readFileSync(join(folder, 'profrender.wasm'))),
    sample: packed(sample()),
    licences: packed(licences()),
    formats: formats().join('\n'),
    version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version,
};
const skeleton = readFileSync(here('drop.html'), 'utf8');
writeFileSync(out, skeleton.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
