// SPDX-License-Identifier: Apache-2.0
/** Cards from captures and profiles, in a page, in a worker or in node. Nothing is sent, and no file is touched. */

export type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * Files by path, with names divided by "/". Each first name is an input: a file, or a folder, such as one that
 * `profrender record` made.
 */
export type Files = Record<string, Bytes>;

export type Program = BufferSource | WebAssembly.Module;

export interface RenderOptions {
    /** The difference of two inputs, the first being the one before. Default: false, all inputs on one card. */
    difference?: boolean;
    /** Default: what the inputs say of themselves. */
    title?: string;
    /** Default: auto, that of the reader's system. */
    theme?: 'auto' | 'light' | 'dark';
    /** More options of `profrender card` or `profrender diff`, such as `['--owner', 'src/*']`. */
    args?: string[];
}

export interface Card {
    /** The page: one HTML document that needs nothing else. Show it in a frame with `sandbox="allow-scripts"`. */
    html: string;
    /** What the program says on the way, such as that a capture was cut; empty if nothing. */
    messages: string;
}

export interface Answer {
    /** The exit status: 0 is good; the manual lists the others. */
    status: number;
    messages: string;
    /** What the program wrote to standard output. */
    output: Uint8Array;
}

/** The inputs could not be rendered: the message is that of the program. */
export class ProfrenderError extends Error {
    readonly name: 'ProfrenderError';
    readonly status: number;
}

/** Makes a card of one file, or of several. Rejects with ProfrenderError. */
export function render(input: Bytes | Files, options?: RenderOptions): Promise<Card>;

/** Calls the program as in a terminal, in a folder with FILES: `run(['summary', 'x.bin'], { 'x.bin': bytes })`. */
export function run(args: string[], files?: Files): Promise<Answer>;

/**
 * Where the program comes from, when profrender.wasm is not next to this module. It is compiled at the first call, in
 * the thread that calls; calls block that thread, so a page makes them in a worker.
 */
export function load(program: Program | (() => Promise<Program>)): void;
