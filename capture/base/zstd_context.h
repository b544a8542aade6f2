/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A context of zstd that compresses to the same bytes on every processor.
 *
 * Source: zstd.h, ZSTD_c_useRowMatchFinder (since 1.5.0; ZSTD_c_experimentalParam14 is its name for programs that link
 *         the shared library). By default zstd uses this match finder where the processor has SSE2 or NEON, so that a
 *         card or digest would differ from one machine to another.
 */
#ifndef PR_CAPTURE_BASE_ZSTD_CONTEXT_H
#define PR_CAPTURE_BASE_ZSTD_CONTEXT_H

#include <stddef.h>
#include <zstd.h>

/* A new context for that compression level, for ZSTD_freeCCtx(); NULL: no memory, or the level is refused. */
static inline ZSTD_CCtx *pr_zstd_context(int level)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context)
        return NULL;
    /* A library that no longer has this setting still compresses. */
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_experimentalParam14, 1);
    if (!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)))
        return context;
    ZSTD_freeCCtx(context);
    return NULL;
}

#endif
