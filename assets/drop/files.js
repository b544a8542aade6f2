// SPDX-License-Identifier: Apache-2.0
/* What the program sees of its host: files, read piece by piece when it asks, and two streams that it writes. */
import { Directory, Fd, Inode, wasi } from '@bjorn3/browser_wasi_shim';

/**
 * What is in a file. read() may throw: the file changed, or is gone.
 * @typedef {{ size: number, read: (from: number, to: number) => Uint8Array }} Content
 */

/** An open file of the user's: only what is read is ever in memory. */
class OpenFile extends Fd {
    /** @param {Content} content @param {(bytes: number) => void} onread */
    constructor(content, onread) {
        super();
        this.content = content;
        this.at = 0;
        this.onread = onread;
    }

    fd_fdstat_get() {
        return { ret: 0, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) };
    }

    fd_filestat_get() {
        return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_REGULAR_FILE, BigInt(this.content.size)) };
    }

    /** @param {number} size @param {bigint} offset */
    fd_pread(size, offset) {
        const from = Number(offset);
        try {
            return { ret: 0, data: this.content.read(from, Math.min(from + size, this.content.size)) };
        } catch {
            return { ret: wasi.ERRNO_IO, data: new Uint8Array() };
        }
    }

    /** @param {number} size */
    fd_read(size) {
        const answer = this.fd_pread(size, BigInt(this.at));
        this.at += answer.data.length;
        this.onread(answer.data.length);
        return answer;
    }

    /** @param {bigint} offset @param {number} whence */
    fd_seek(offset, whence) {
        const from = { [wasi.WHENCE_SET]: 0, [wasi.WHENCE_CUR]: this.at, [wasi.WHENCE_END]: this.content.size }[whence];
        const to = (from ?? NaN) + Number(offset);
        if (!(to >= 0)) return { ret: wasi.ERRNO_INVAL, offset: 0n };
        this.at = to;
        return { ret: 0, offset: BigInt(to) };
    }

    fd_tell() {
        return { ret: 0, offset: BigInt(this.at) };
    }
}

class ClosedFile extends Inode {
    /** @param {Content} content @param {(bytes: number) => void} onread */
    constructor(content, onread) {
        super();
        this.content = content;
        this.onread = onread;
    }

    path_open() {
        return { ret: 0, fd_obj: new OpenFile(this.content, this.onread) };
    }

    stat() {
        return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(this.content.size));
    }
}

/** A stream that the program writes; no terminal. */
export class Sink extends Fd {
    /** @param {(bytes: Uint8Array) => void} take */
    constructor(take) {
        super();
        this.take = take;
    }

    fd_fdstat_get() {
        return { ret: 0, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) };
    }

    fd_filestat_get() {
        return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_REGULAR_FILE, 0n) };
    }

    /** @param {Uint8Array} data */
    fd_write(data) {
        this.take(data);
        return { ret: 0, nwritten: data.length };
    }
}

/**
 * The folder in which the program runs.
 * @param {{ path: string, content: Content }[]} files  paths have no empty part and no ".."
 * @param {(bytes: number) => void} onread
 */
export function folderOf(files, onread) {
    const root = new Map();
    for (const { path, content } of files) {
        const parts = path.split('/');
        const name = /** @type {string} */ (parts.pop());
        let at = root;
        for (const part of parts) {
            if (!at.has(part)) at.set(part, new Directory(new Map()));
            at = at.get(part).contents;
        }
        at.set(name, new ClosedFile(content, onread));
    }
    return root;
}
