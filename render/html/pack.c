/* SPDX-License-Identifier: Apache-2.0 */
/* zstd, whose checksum lets a reader tell a page that was cut or edited. */
#include "render/html/pack.h"

#include "capture/base/zstd_context.h"

#include <stdlib.h>

/*
 * What is larger than the window of its level repeats itself beyond it: the numbers of one metric are often those of
 * another. The script unpacks into one array, so it can look back as far as its offsets have bits.
 */
enum { OWN_WINDOW = 23, WIDEST_WINDOW = 29 };

static bool look_far_back(ZSTD_CCtx *context, size_t length)
{
    int window = OWN_WINDOW;
    while (window < WIDEST_WINDOW && length >> window)
        window++;
    return window == OWN_WINDOW ||
           (!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1)) &&
            !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window)));
}

static bool compress(const struct pr_buf *bytes, enum pr_pack_kind kind, struct pr_buf *packed)
{
    size_t room = ZSTD_compressBound(bytes->length);
    ZSTD_CCtx *context = pr_zstd_context((int)kind);
    packed->bytes = malloc(room);
    bool done = false;
    if (context && packed->bytes && look_far_back(context, bytes->length) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1))) {
        packed->length = ZSTD_compress2(context, packed->bytes, room, bytes->bytes, bytes->length);
        done = !ZSTD_isError(packed->length);
    }
    ZSTD_freeCCtx(context);
    return done;
}

void pr_base64(struct pr_buf *text, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = pr_buf_room(text, length / 3 * 4 + 4);
    size_t made = 0;
    for (size_t at = 0; out && at < length; at += 3) {
        size_t here = length - at < 3 ? length - at : 3;
        unsigned group =
            (unsigned)bytes[at] << 16 | (here > 1 ? (unsigned)bytes[at + 1] << 8 : 0) | (here > 2 ? bytes[at + 2] : 0u);
        out[made++] = digits[group >> 18];
        out[made++] = digits[group >> 12 & 63];
        out[made++] = here > 1 ? digits[group >> 6 & 63] : '=';
        out[made++] = here > 2 ? digits[group & 63] : '=';
    }
    pr_buf_use(text, made);
}

enum pr_status pr_pack(const struct pr_buf *bytes, enum pr_pack_kind kind, struct pr_buf *text, struct pr_error *err)
{
    struct pr_buf packed = {0};
    bool done = !bytes->failed && compress(bytes, kind, &packed);
    if (done)
        pr_base64(text, (const unsigned char *)packed.bytes, packed.length);
    pr_buf_clear(&packed);
    return done && !text->failed ? PR_OK : pr_fail_memory(err);
}
