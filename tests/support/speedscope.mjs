// SPDX-License-Identifier: Apache-2.0
/*
 * speedscope's importer, from its npm package, under node. The package holds the application only, bundled for the
 * browser; the importer is loaded before the application looks for a page, where it stops here.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import vm from 'node:vm';

const folder = join(dirname(createRequire(import.meta.url).resolve('speedscope/package.json')), 'dist/release');

/** What the bundle needs from a browser while it loads. */
function browser() {
    const anything = new Proxy(function () {}, {
        get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
        apply: () => anything,
        construct: () => anything,
    });
    return {
        console: { log() {}, warn() {}, error() {} },
        window: anything,
        self: anything,
        document: anything,
        navigator: { userAgent: '', platform: '' },
        location: { hash: '', protocol: 'file:', href: '' },
        matchMedia: () => ({ matches: false, addListener() {} }),
        localStorage: { getItem: () => null, setItem() {} },
        performance,
        TextDecoder,
        TextEncoder,
        URL,
        atob,
        btoa,
        setTimeout,
        clearTimeout,
        requestAnimationFrame() {},
    };
}

let loading;

/** The module of importers, as the application gets it. */
function importers() {
    return (loading ??= (async () => {
        const [name] = readdirSync(folder).filter((file) => /^speedscope-.*\.js$/.test(file));
        const hook = /async function \w+\(\w+,\w+\)\{return\(await (\w+)\)\.importProfileGroupFromText/;
        const source = readFileSync(join(folder, name), 'utf8');
        const [all, module] = hook.exec(source);
        const context = vm.createContext({ ...browser(), importers: null });
        const hooked = source.replace(all, `globalThis.importers=${module};${all}`);
        try {
            vm.runInContext(hooked, context, { filename: name });
        } catch (error) {
            // The application itself needs a page.
            if (!context.importers) throw error;
        }
        return context.importers;
    })());
}

/**
 * The profiles that speedscope makes of a text.
 * @param {string} name
 * @param {string} text
 */
export async function importText(name, text) {
    return (await (await importers()).importProfileGroupFromText(name, text)).profiles;
}
