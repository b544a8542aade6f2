// SPDX-License-Identifier: Apache-2.0
/*
 * zstd (RFC 8878), as the program writes it: one frame that says how large its content is, without a dictionary. The
 * content is one array, so matches reach back into it and no window is kept. Checksums are not looked at: what does not
 * add up is an Error, and what an editor changed shows in the columns.
 *
 * Bitstreams are read from their ends. A position counts bits from the start of the block; those in front of a stream
 * are read too, and shifted out.
 */

/** A table of states: symbol, bits that the next state needs << 8, where these are added << 16. */
/** @typedef {{log: number, states: Uint32Array}} Table */

const MAGIC = 0xfd2fb528;
const MOST_BLOCK = 1 << 17;
/** Fewer literals are faster one by one. */
const SHORT = 32;
/** Longest codes: of a symbol, and of the weights of all symbols. */
const [MOST_BITS, MOST_WEIGHT_LOG] = [11, 6];

const damaged = () => new Error('zstd: damaged');

/** What codes begin with, from how many bits each has. @param {number} first @param {number[]} bits */
const basesOf = (first, bits) => bits.map((_, i) => bits.slice(0, i).reduce((sum, n) => sum + 2 ** n, first));

/** A digit for each code; one above 9 is a letter. @param {string} digits */
const digitsOf = (digits) => Array.from(digits, (digit) => parseInt(digit, 36));

const LITERAL_BITS = digitsOf('0'.repeat(16) + '1111223346789abcdefg');
const LITERAL_BASES = basesOf(0, LITERAL_BITS);
const MATCH_BITS = digitsOf('0'.repeat(32) + '11112233445789abcdefg');
const MATCH_BASES = basesOf(3, MATCH_BITS);
/** The codes of how far back a match is are its bits; a page holds less than 2^30. */
const MOST_OFFSET_BITS = 29;

/** The three kinds of codes of a sequence: known chances, 0 = less than one; their log, the largest log. */
const KINDS = [
    { log: 6, most: 9, chances: '432222222222211122222222232111110000' },
    { log: 5, most: 8, chances: '11111122211111111111111100000' },
    { log: 6, most: 9, chances: '143222222' + '1'.repeat(37) + '0000000' },
];

/**
 * @param {number[]} chances  of each symbol, which together are 2^log; -1 = less than one
 * @param {number} log
 * @returns {Table}
 */
function tableOf(chances, log) {
    const size = 1 << log;
    const symbols = new Uint8Array(size);
    const next = new Uint16Array(chances.length);
    const states = new Uint32Array(size);
    let top = size;
    chances.forEach((chance, symbol) => {
        next[symbol] = Math.abs(chance);
        if (chance < 0) symbols[--top] = symbol;
    });
    let at = 0;
    chances.forEach((chance, symbol) => {
        for (let i = 0; i < chance; i++) {
            symbols[at] = symbol;
            do at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
            while (at >= top);
        }
    });
    for (let i = 0; i < size; i++) {
        const state = next[symbols[i]]++;
        const bits = Math.clz32(state) - 31 + log;
        states[i] = symbols[i] | (bits << 8) | (((state << bits) - size) << 16);
    }
    return { log, states };
}

/**
 * A frame, of which as much is unpacked as somebody asked for.
 * @param {Uint8Array} bytes
 * @returns {(end: number) => Uint8Array}  all of the content, right up to that byte at least
 */
export function unpacking(bytes) {
    // Words are read whole, also the last ones.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const word = (/** @type {number} */ at) => view.getUint32(at, true);
    const flags = bytes[4];
    const isSingle = (flags >> 5) & 1;
    const sizeFlag = flags >> 6;
    if (word(0) !== MAGIC || flags & 3 || (!isSingle && !sizeFlag)) throw damaged();
    let at = 6 - isSingle;
    const size = [
        () => bytes[at],
        () => view.getUint16(at, true) + 256,
        () => word(at),
        () => word(at) + word(at + 4) * 2 ** 32,
    ][sizeFlag]();
    at += 1 << sizeFlag;

    const out = new Uint8Array(size);
    const words = new DataView(out.buffer);
    const literals = new Uint8Array(MOST_BLOCK);
    const codes = new Uint16Array(1 << MOST_BITS);
    const tables = /** @type {Table[]} */ ([]);
    const back = [1, 4, 8];
    let codeBits = 0;
    let made = 0;

    /** The chances that symbols have, from a stream that is read forwards. @param {number} most */
    function readTable(most) {
        const chances = [];
        const log = (bytes[at] & 15) + 5;
        if (log > most) throw damaged();
        let pos = 4;
        const peek = (/** @type {number} */ bits) => (word(at + (pos >> 3)) >>> (pos & 7)) & ((1 << bits) - 1);
        for (let left = 1 << log; left > 0; ) {
            const bits = 32 - Math.clz32(left + 1);
            const half = (1 << (bits - 1)) - 1;
            const spare = 2 * half - left;
            let value = peek(bits);
            pos += bits;
            if ((value & half) < spare) {
                value &= half;
                pos--;
            } else if (value > half) value -= spare;
            left -= Math.abs(value - 1);
            chances.push(value - 1);
            for (let more = value === 1 ? 3 : 0; more === 3; pos += 2) {
                more = peek(2);
                chances.push(...[0, 0, 0].slice(0, more));
            }
            if (left < 0 || chances.length > 256) throw damaged();
        }
        at += (pos + 7) >> 3;
        return tableOf(chances, log);
    }

    /** Where a stream that ends at a byte ends: below its highest bit. @param {number} end */
    function lastBit(end) {
        if (!bytes[end - 1]) throw damaged();
        return 8 * end - 1 - Math.clz32(bytes[end - 1]) + 24;
    }

    /** Weights of symbols, in two states that take turns. @param {number} end @returns {number[]} */
    function readWeights(end) {
        const weights = [];
        const { log, states } = readTable(MOST_WEIGHT_LOG);
        const first = 8 * at;
        let pos = lastBit(end);
        const take = (/** @type {number} */ bits) => {
            pos -= bits;
            // In front of the stream there are zeros.
            return pos < first ? 0 : (word(pos >> 3) >>> (pos & 7)) & ((1 << bits) - 1);
        };
        let [one, other] = [take(log), take(log)];
        for (;;) {
            weights.push(states[one] & 255);
            const bits = (states[one] >> 8) & 255;
            if (pos < first + bits || weights.length > 254) break;
            [one, other] = [other, (states[one] >>> 16) + take(bits)];
        }
        weights.push(states[other] & 255);
        return weights;
    }

    /** The codes of literals. */
    function readCodes() {
        const head = bytes[at++];
        const end = head < 128 ? at + head : at + ((head - 126) >> 1);
        const weights =
            head < 128
                ? readWeights(end)
                : Array.from({ length: head - 127 }, (_, i) => (bytes[at + (i >> 1)] >> (i & 1 ? 0 : 4)) & 15);
        const sum = weights.reduce((all, weight) => all + ((1 << weight) >> 1), 0);
        codeBits = 32 - Math.clz32(sum);
        const last = (1 << codeBits) - sum;
        if (codeBits > MOST_BITS || last & (last - 1)) throw damaged();
        weights.push(32 - Math.clz32(last));
        let code = 0;
        for (let weight = 1; weight <= codeBits; weight++) {
            weights.forEach((own, symbol) => {
                if (own !== weight) return;
                codes.fill(symbol | ((codeBits + 1 - weight) << 8), code, code + (1 << (weight - 1)));
                code += 1 << (weight - 1);
            });
        }
        at = end;
    }

    /** Literals of one stream. @param {number} end  of the stream @param {number} from @param {number} to */
    function readLiterals(end, from, to) {
        const start = at - 3; // two codes may reach that far in front of it
        const mask = (1 << codeBits) - 1;
        let pos = lastBit(end) - 8 * start;
        let i = from;
        for (; i + 1 < to; i += 2) {
            const low = pos - 2 * codeBits;
            const bits = word(start + (low >> 3)) >>> (low & 7);
            const first = codes[(bits >>> codeBits) & mask];
            const second = codes[(bits >>> (codeBits - (first >> 8))) & mask];
            literals[i] = first;
            literals[i + 1] = second;
            pos -= (first >> 8) + (second >> 8);
        }
        if (i < to) {
            const low = pos - codeBits;
            const code = codes[(word(start + (low >> 3)) >>> (low & 7)) & mask];
            literals[i] = code;
            pos -= code >> 8;
        }
        if (pos !== 24) throw damaged();
        at = end;
    }

    /** The literals of a block. @returns {number} how many */
    function readAllLiterals() {
        const kind = bytes[at] & 3;
        const form = (bytes[at] >> 2) & 3;
        if (kind < 2) {
            const many = form & 1 ? (word(at) & (form === 1 ? 0xffff : 0xffffff)) >> 4 : bytes[at] >> 3;
            if (many > MOST_BLOCK) throw damaged();
            at += form & 1 ? (form + 3) >> 1 : 1;
            if (kind) literals.fill(bytes[at++], 0, many);
            else {
                literals.set(bytes.subarray(at, at + many));
                at += many;
            }
            return many;
        }
        const bits = [10, 10, 14, 18][form];
        const head = word(at) >>> 4;
        const many = head & ((1 << bits) - 1);
        const packed = form === 3 ? (head >>> 18) | (bytes[at + 4] << 10) : (head >>> bits) & ((1 << bits) - 1);
        at += [3, 3, 4, 5][form];
        const end = at + packed;
        if (many > MOST_BLOCK) throw damaged();
        if (kind === 2) readCodes();
        if (!codeBits) throw damaged();
        if (!form) readLiterals(end, 0, many);
        else {
            const sizes = [0, 2, 4].map((i) => view.getUint16(at + i, true));
            const part = (many + 3) >> 2;
            at += 6;
            sizes.forEach((bytesOfPart, i) => readLiterals(at + bytesOfPart, i * part, (i + 1) * part));
            readLiterals(end, 3 * part, many);
        }
        return many;
    }

    /** Literals and matches in turns, up to the end of the block. @param {number} end */
    function readSequences(end) {
        const literalCount = readAllLiterals();
        let many = bytes[at++];
        if (many === 255) {
            many = view.getUint16(at, true) + 0x7f00;
            at += 2;
        } else if (many > 127) many = ((many - 128) << 8) + bytes[at++];
        let literal = 0;
        if (many) {
            const modes = bytes[at++];
            KINDS.forEach(({ log, most, chances }, i) => {
                const mode = (modes >> (6 - 2 * i)) & 3;
                if (mode === 0) tables[i] = tableOf(digitsOf(chances).map((chance) => chance || -1), log);
                else if (mode === 1) tables[i] = { log: 0, states: Uint32Array.of(bytes[at++]) };
                else if (mode === 2) tables[i] = readTable(most);
                else if (!tables[i]) throw damaged();
            });
            literal = readMatches(many, end, literalCount);
        }
        out.set(literals.subarray(literal, literalCount), made);
        made += literalCount - literal;
    }

    /** @param {number} many @param {number} end @param {number} literalCount @returns {number} literals used */
    function readMatches(many, end, literalCount) {
        const [literalTable, offsetTable, matchTable] = tables;
        const [literalStates, offsetStates, matchStates] = [literalTable.states, offsetTable.states, matchTable.states];
        const start = at;
        let pos = lastBit(end) - 8 * start;
        let literal = 0;
        let to = made;
        let [first, second, third] = back;
        /** Bits at a place, at most 25. @param {number} from @param {number} bits */
        const bitsAt = (from, bits) =>
            (view.getUint32(start + (from >> 3), true) >>> (from & 7)) & ((1 << bits) - 1);
        let literalState = literalStates[bitsAt((pos -= literalTable.log), literalTable.log)];
        let offsetState = offsetStates[bitsAt((pos -= offsetTable.log), offsetTable.log)];
        let matchState = matchStates[bitsAt((pos -= matchTable.log), matchTable.log)];
        for (let left = many; left > 0; left--) {
            const offsetBits = offsetState & 255;
            if (offsetBits > MOST_OFFSET_BITS) throw damaged();
            const high = Math.max(0, offsetBits - 16);
            const low = offsetBits - high;
            let offset = (1 << offsetBits) + (bitsAt((pos -= high), high) << 16) + bitsAt((pos -= low), low);
            const matchCode = matchState & 255;
            const matchBits = MATCH_BITS[matchCode];
            let length = MATCH_BASES[matchCode] + bitsAt((pos -= matchBits), matchBits);
            const literalCode = literalState & 255;
            const literalBits = LITERAL_BITS[literalCode];
            const run = LITERAL_BASES[literalCode] + bitsAt((pos -= literalBits), literalBits);

            // The three last offsets have numbers, which count one further without literals.
            if (offset > 3) {
                offset -= 3;
                third = second;
                second = first;
                first = offset;
            } else {
                if (!run) offset++;
                if (offset === 2) {
                    offset = second;
                    second = first;
                    first = offset;
                } else if (offset > 2) {
                    offset = offset === 3 ? third : first - 1;
                    third = second;
                    second = first;
                    first = offset;
                } else offset = first;
            }

            if (literal + run > literalCount || to + run + length > size || !offset || offset > to + run)
                throw damaged();
            if (run > SHORT) {
                out.set(literals.subarray(literal, literal + run), to);
                to += run;
                literal += run;
            } else for (const stop = to + run; to < stop; ) out[to++] = literals[literal++];
            let from = to - offset;
            // Four bytes at a time, unless they repeat sooner.
            for (; length > 3 && offset > 3; length -= 4, to += 4, from += 4)
                words.setUint32(to, words.getUint32(from));
            for (; length > 0; length--) out[to++] = out[from++];

            if (left > 1) {
                const literalNext = (literalState >> 8) & 255;
                literalState = literalStates[(literalState >>> 16) + bitsAt((pos -= literalNext), literalNext)];
                const matchNext = (matchState >> 8) & 255;
                matchState = matchStates[(matchState >>> 16) + bitsAt((pos -= matchNext), matchNext)];
                const offsetNext = (offsetState >> 8) & 255;
                offsetState = offsetStates[(offsetState >>> 16) + bitsAt((pos -= offsetNext), offsetNext)];
            }
        }
        if (pos) throw damaged();
        back.splice(0, 3, first, second, third);
        made = to;
        return literal;
    }

    /** The block that begins at a byte. @param {number} from */
    function blockAt(from) {
        const head = bytes[from] | (bytes[from + 1] << 8) | (bytes[from + 2] << 16);
        const kind = (head >> 1) & 3;
        const many = head >> 3;
        const end = from + 3 + (kind === 1 ? 1 : many);
        if (kind === 3 || end > bytes.length) throw damaged();
        return { kind, many, end, isLast: head & 1 };
    }
    // A frame that was cut is known before any of it is unpacked.
    for (let from = at, isLast = 0; !isLast; ) ({ end: from, isLast } = blockAt(from));

    let isDone = 0;
    return (wanted) => {
        while (!isDone && made < wanted) {
            const { kind, many, end, isLast } = blockAt(at);
            at += 3;
            if (kind === 2) readSequences(end);
            else {
                if (made + many > size) throw damaged();
                if (kind) out.fill(bytes[at], made, made + many);
                else out.set(bytes.subarray(at, end), made);
                made += many;
            }
            at = end;
            isDone = isLast;
        }
        if (isDone ? made !== size : made < wanted) throw damaged();
        return out;
    };
}

/** All of a frame. @param {Uint8Array} bytes */
export const decompress = (bytes) => unpacking(bytes)(Infinity);
