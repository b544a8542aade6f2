/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A main for fuzz targets that replays files instead of inventing inputs, so that past findings stay fixed.
 *
 *     build/asan/tests/fuzz_memray FILE...
 *
 * Each file is run whole and cut at a few lengths, so that the seeds alone visit most of the ways an input can end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    *length = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    static const unsigned sixteenths[] = {16, 15, 11, 8, 3, 1, 0};
    enum { CUTS = sizeof sixteenths / sizeof *sixteenths };

    for (int i = 1; i < argc; i++) {
        size_t length = 0;
        uint8_t *bytes = read_file(argv[i], &length);
        if (!bytes) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
        for (unsigned cut = 0; cut < CUTS; cut++) {
            /* A copy of exactly this length: the address sanitizer sees a byte read too far. */
            size_t kept = length / 16 * sixteenths[cut] + (cut == 0 ? length % 16 : 0);
            uint8_t *copy = malloc(kept + !kept);
            if (!copy)
                return 1;
            for (size_t at = 0; at < kept; at++)
                copy[at] = bytes[at];
            LLVMFuzzerTestOneInput(copy, kept);
            free(copy);
        }
        free(bytes);
        printf("ok - %s\n", argv[i]);
    }
    return 0;
}
