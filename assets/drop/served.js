// SPDX-License-Identifier: Apache-2.0
/*
 * What the page can do when a server has it: open files of that server that its address names, and be kept for use
 * without a network. From disk it does neither.
 *
 *     https://host/drop.html?url=runs/1.bin                 a card
 *     https://host/drop.html?url=runs/1.bin&url=runs/2.bin&difference
 *
 * The page's policy allows connections to its own server. lock() takes that back, and no script can undo it: it runs
 * before any file is read, and at once when the address names none.
 */

const isServed = /^https?:$/.test(location.protocol);
const query = new URLSearchParams(location.search);

export const namesDifference = query.has('difference');

let isLocked = false;

/** From here on nothing leaves the page, nor a frame or a worker that it makes. */
export function lock() {
    if (isLocked) return;
    isLocked = true;
    const policy = document.createElement('meta');
    policy.httpEquiv = 'Content-Security-Policy';
    policy.content = "connect-src 'none'";
    document.head.append(policy);
}

/** @param {string} text  of the address; only a file of this page's own server will do */
function addressOf(text) {
    const address = URL.canParse(text, location.href) ? new URL(text, location.href) : null;
    if (!isServed) throw new Error(`${text}: a page that was opened from disk cannot open addresses; choose the file`);
    if (address?.origin !== location.origin || address.username || address.password)
        throw new Error(`${text}: only files of ${location.host} can be opened; download it, and choose the file`);
    return address;
}

/** @param {string} path */
function lastPart(path) {
    const part = path.split('/').filter(Boolean).pop() ?? 'file';
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/** @param {Response} answer @param {(bytes: number) => void} onread */
async function body(answer, onread) {
    const counted = new TransformStream({
        transform(piece, out) {
            onread(piece.length);
            out.enqueue(piece);
        },
    });
    return new Response(answer.body?.pipeThrough(counted)).blob();
}

/**
 * The files that the address of the page names, none if it names none. Locks the page, also when one cannot be had.
 * @param {(name: string, bytes: number) => void} onread
 * @param {AbortSignal} signal
 * @returns {Promise<File[]>}
 */
export async function namedFiles(onread, signal) {
    const files = [];
    try {
        for (const address of query.getAll('url').map(addressOf)) {
            const name = lastPart(address.pathname);
            const answer = await fetch(address, { signal }).catch((why) => {
                throw signal.aborted ? why : new Error(`${name}: the server cannot be reached, or redirects elsewhere`);
            });
            if (!answer.ok) throw new Error(`${name}: the server answers ${answer.status} ${answer.statusText}`.trim());
            files.push(new File([await body(answer, (bytes) => onread(name, bytes))], name));
        }
    } finally {
        lock();
    }
    return files;
}

/** Makes the page one that can be installed, and kept for use without a network where offline.js is next to it. */
export function keep() {
    if (!isServed || !isSecureContext) return;
    const page = location.origin + location.pathname;
    const icon = document.querySelector('link[rel=icon]')?.getAttribute('href');
    const manifest = {
        ...{ name: 'profrender', short_name: 'profrender', id: page, start_url: page, scope: page },
        ...{ display: 'standalone', icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml' }] },
    };
    const link = document.createElement('link');
    link.rel = 'manifest';
    link.href = `data:application/manifest+json,${encodeURIComponent(JSON.stringify(manifest))}`;
    document.head.append(link);
    navigator.serviceWorker?.register('offline.js', { scope: location.pathname }).catch(() => {});
}
