// SPDX-License-Identifier: Apache-2.0
/* The page's scripts as TypeScript sees them. */
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../assets/', import.meta.url));

/**
 * The program of the page's scripts.
 * @param {(source: string) => string} [edit]  for tests: what a source is instead
 * @param {ts.Program} [other]  one of before, whose declarations of the browser are used again
 */
export function compiled(edit = (source) => source, other) {
    const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const host = ts.createCompilerHost(options, true);
    const { readFile, getSourceFile } = host;
    const isOurs = (/** @type {string} */ path) => path.startsWith(`${root}src/`);
    host.readFile = (path) => (isOurs(path) ? edit(readFile(path) ?? '') : readFile(path));
    host.getSourceFile = (path, ...more) =>
        (!isOurs(path) && other?.getSourceFile(path)) || getSourceFile(path, ...more);
    return ts.createProgram(fileNames, options, host);
}
