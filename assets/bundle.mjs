// SPDX-License-Identifier: Apache-2.0
/*
 * The bundler: the front end becomes two strings, and the strings become C.
 *
 *     node assets/bundle.mjs [DIRECTORY]      default: build/assets
 *
 * writes there
 *     card.js, card.css      one script and one stylesheet, as the card inlines them
 *     index.js, index.css    the same for the index of many cards
 *     frame.css              the stylesheet of a table's card, which has no script
 *     assets.c, assets.h     the same bytes as arrays, their CSP hashes, and each file of templates/
 *
 * The same sources give the same bytes: no clock, no path, no order of a directory is in them. C11 promises string
 * literals of 4,095 characters only, so everything is an array of numbers.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { darkTheme, inlineable } from './inline.mjs';
import { PARTS, scriptPieces, smaller, stylePieces } from './pieces.mjs';
import { shortElements } from './short_elements.mjs';
import { SHORTENED } from './shortened.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = process.argv[2] ?? join(root, 'build/assets');

const OPTIONS = {
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    mangleProps: new RegExp(`^(?:${SHORTENED.join('|')})$`),
    format: 'iife',
    inject: [join(root, 'assets/globals.mjs')],
    target: 'es2021',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [darkTheme, shortElements],
};

/** One entry point to one string, with all it imports. */
async function bundle(entry) {
    const result = await build({ ...OPTIONS, entryPoints: [entry] });
    return result.outputFiles[0].text;
}

/** A name that changes with the bytes, for a file next to the page. */
const fileName = (bytes, ending) =>
    `profrender-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.${ending}`;

const sha256 = (bytes) => 'sha256-' + createHash('sha256').update(bytes).digest('base64');

function arrayOf(name, bytes) {
    const lines = [];
    for (let i = 0; i < bytes.length; i += 24) lines.push('    ' + bytes.subarray(i, i + 24).join(','));
    const size = bytes.length;
    return `const unsigned char ${name}[${size}] = {\n${lines.join(',\n')}};\nconst size_t ${name}_size = ${size};\n`;
}

const styleFile = join(root, 'assets/src/css/card.css');
const { pieces: style, tokens } = await stylePieces(styleFile, bundle, { minify: true, charset: 'ascii' });
const card = { script: await scriptPieces(OPTIONS, tokens), style };
const whole = (pieces) => pieces.map(({ text }) => text).join('');

const files = [];
for (const [name, file, text] of [
    ['script', 'card.js', whole(card.script)],
    ['style', 'card.css', whole(card.style)],
    ['index_script', 'index.js', await smaller(await bundle('assets/src/index/main.js'))],
    ['index_style', 'index.css', await bundle('assets/src/index/index.css')],
    ['frame_style', 'frame.css', await bundle('assets/src/frame/frame.css')],
]) {
    const bytes = Buffer.from(inlineable(text, file));
    files.push({
        name: `pr_asset_${name}`,
        bytes,
        hash: sha256(bytes),
        beside: fileName(bytes, file.split('.')[1]),
        file,
    });
}
for (const file of readdirSync(join(root, 'templates')).sort()) {
    if (!file.startsWith('.'))
        files.push({
            name: `pr_template_${parse(file).name.replace(/\W/g, '_')}`,
            bytes: readFileSync(join(root, 'templates', file)),
        });
}

const header = [
    '/* SPDX-License-Identifier: Apache-2.0 */',
    '/* Made by assets/bundle.mjs: scripts and stylesheets of the pages, and the templates. */',
    '#ifndef PR_ASSETS_H',
    '#define PR_ASSETS_H',
    '',
    '#include <stddef.h>',
    '',
    '/* Bytes exactly as in the page, without a NUL at the end. */',
];
const source = [
    '/* SPDX-License-Identifier: Apache-2.0 */',
    '/* Made by assets/bundle.mjs. */',
    '#include "assets.h"',
    '',
];
for (const { name, bytes } of files) {
    header.push(`extern const unsigned char ${name}[];`, `extern const size_t ${name}_size;`);
    source.push(arrayOf(name, bytes));
}
header.push(
    '',
    '/* For the Content-Security-Policy: "sha256-" and base64; and a name for a file with these bytes. */',
);
for (const { name, hash, beside } of files.filter((f) => f.hash)) {
    const isCut = name.replace('pr_asset_', '') in card; // its hash is made with the card
    header.push(`extern const char ${isCut ? '' : `${name}_sha256[], `}${name}_name[];`);
    source.push(`const char ${isCut ? '' : `${name}_sha256[] = "${hash}", `}${name}_name[] = "${beside}";`);
}
header.push(
    '',
    '/* What only some cards carry. A set of parts is a number with their bits. */',
    'enum {',
    ...PARTS.map((part, i) => `    PR_PART_${part.toUpperCase()} = ${1 << i},`),
    `    PR_PART_SETS = ${1 << PARTS.length},`,
    '    PR_PART_LARGE = PR_PART_SETS, /* a page of very many nodes has it besides */',
    '    PR_PART_FILE = PR_PART_SETS << 1, /* of no page: only a file next to one has it */',
    '};',
    '',
    '/* A piece of the bytes above, in their order. part: 0 = every card has it. */',
    'struct pr_asset_piece {',
    '    size_t size;',
    '    unsigned part;',
    '};',
);
for (const [name, pieces] of Object.entries(card)) {
    header.push(
        `extern const struct pr_asset_piece pr_asset_${name}_pieces[];`,
        `extern const size_t pr_asset_${name}_piece_count;`,
    );
    const list = pieces.map(
        ({ part, text }) => `{${Buffer.byteLength(text)}, ${part ? `PR_PART_${part.toUpperCase()}` : '0'}}`,
    );
    source.push(
        `const struct pr_asset_piece pr_asset_${name}_pieces[] = {${list.join(', ')}};`,
        `const size_t pr_asset_${name}_piece_count = ${pieces.length};`,
    );
}
header.push('', '#endif', '');

mkdirSync(out, { recursive: true });
for (const { file, bytes } of files.filter((f) => f.file)) writeFileSync(join(out, file), bytes);
writeFileSync(join(out, 'assets.h'), header.join('\n'));
writeFileSync(join(out, 'assets.c'), source.join('\n') + '\n');
