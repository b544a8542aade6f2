/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64 };

/* The first 32 bits of the fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* The 16 words of the block, big-endian, and 48 made from them (6.2.2, step 1). */
static void schedule(const unsigned char *block, uint32_t words[64])
{
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                   words[i - 16];
    }
}

static void add_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64], v[8];
    schedule(block, words);
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t e = v[4], a = v[0];
        const uint32_t one = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                             constants[i] + words[i];
        const uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += v[i];
}

/* The first 32 bits of the fractions of the square roots of the first 8 primes (5.3.3). */
static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* Adds the last LENGTH bytes of a text, which were preceded by BEFORE bytes in whole blocks. */
static void finish(uint32_t state[8], const void *bytes, size_t length, size_t before,
                   unsigned char hash[PR_SHA256_SIZE])
{
    const unsigned char *at = bytes;
    size_t rest = length;
    for (; rest >= BLOCK; rest -= BLOCK, at += BLOCK)
        add_block(state, at);
    /* A 1 bit, zeros, the length in bits (5.1.1): one block more, or two. */
    unsigned char tail[2 * BLOCK] = {0};
    const size_t tail_length = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    if (rest)
        memcpy(tail, at, rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[tail_length - 1 - i] = (unsigned char)(((uint64_t)before + length) * 8 >> 8 * i);
    for (size_t i = 0; i < tail_length; i += BLOCK)
        add_block(state, tail + i);
    for (size_t i = 0; i < PR_SHA256_SIZE; i++)
        hash[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void pr_sha256_bytes(const void *bytes, size_t length, unsigned char hash[PR_SHA256_SIZE])
{
    uint32_t state[8];
    memcpy(state, initial, sizeof state);
    finish(state, bytes, length, 0, hash);
}

void pr_sha256(const void *bytes, size_t length, char hex[PR_SHA256_HEX])
{
    unsigned char hash[PR_SHA256_SIZE];
    pr_sha256_bytes(bytes, length, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
}

/* One of the two hashes of an HMAC: of the key with each byte changed by PAD, and a text. */
static void add_keyed(const unsigned char key[PR_SHA256_SIZE], unsigned char pad, const void *bytes, size_t length,
                      unsigned char hash[PR_SHA256_SIZE])
{
    uint32_t state[8];
    unsigned char block[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)((i < PR_SHA256_SIZE ? key[i] : 0) ^ pad);
    memcpy(state, initial, sizeof state);
    add_block(state, block);
    finish(state, bytes, length, BLOCK, hash);
}

void pr_hmac_sha256(const unsigned char key[PR_SHA256_SIZE], const void *bytes, size_t length,
                    unsigned char code[PR_SHA256_SIZE])
{
    unsigned char inner[PR_SHA256_SIZE];
    add_keyed(key, 0x36, bytes, length, inner);
    add_keyed(key, 0x5c, inner, sizeof inner, code);
}
