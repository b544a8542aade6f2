// SPDX-License-Identifier: Apache-2.0
/*
 * The Firefox Profiler's own reader and call trees, from the npm package of its command line, which asks a process of
 * its own about a profile.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

const CLI = findCli();

function findCli() {
    try {
        return createRequire(import.meta.url).resolve('@firefox-devtools/profiler-cli/dist/profiler-cli.js');
    } catch {
        return null;
    }
}

/** Whether the package is installed. */
export const hasFirefoxProfiler = CLI !== null;

/** Runs PROGRAM until it succeeds: the process may still be starting. */
async function ask(env, ...words) {
    const LONGEST_MS = 60000;
    for (const end = Date.now() + LONGEST_MS; ; await wait(200)) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words, '--json'], {
            env,
            encoding: 'utf8',
            maxBuffer: 2 ** 28,
        });
        if (status === 0) return JSON.parse(stdout);
        if (Date.now() > end) throw new Error(`${words.join(' ')}: ${stderr}`);
    }
}

/**
 * Self and total of each function of each thread, as the profiler shows them: in milliseconds, bytes or samples.
 * @param {string} path
 * @param {string} folder for the process's own files, and no others
 * @returns {Promise<Map<string, {self: number, total: number}>>} by JSON of [thread, function]
 */
export async function openInFirefox(path, folder) {
    const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder, PROFILER_CLI_NO_SYMBOLICATE: '1' };
    const weights = new Map();
    spawnSync(process.execPath, [CLI, 'load', path], { env, stdio: 'ignore' });
    try {
        const { processes } = await ask(env, 'profile', 'info');
        for (const { threadHandle, name } of processes.flatMap(({ threads }) => threads)) {
            const words = ['--thread', threadHandle, '--limit', '0', '--include-idle'];
            const { functions } = await ask(env, 'thread', 'functions', ...words);
            for (const each of functions) {
                const key = JSON.stringify([name, each.name]);
                const known = weights.get(key) ?? { self: 0, total: 0 };
                weights.set(key, { self: known.self + each.selfSamples, total: known.total + each.totalSamples });
            }
        }
    } finally {
        execFileSync(process.execPath, [CLI, 'stop', '--all'], { env, stdio: 'ignore' });
    }
    return weights;
}
