# SPDX-License-Identifier: Apache-2.0
#
# The libraries as sources, for programs that no package of this machine can be linked with: platform/sources.sh unpacks
# them into a folder, and each function here takes that folder.

# zlib's file functions and zstd's threads are called by nobody here.
LIBRARY_UNUSED := cmark/src/main.c zlib/gz%.c zstd/lib/common/pool.c zstd/lib/common/threading.c \
    zstd/lib/compress/zstdmt_compress.c
library_files = $(wildcard $(addprefix $(1)/,cmark/src/*.c jansson/src/*.c zlib/*.c zstd/lib/common/*.c \
    zstd/lib/compress/*.c zstd/lib/decompress/*.c) $(1)/lz4/lib/lz4.c \
    $(addprefix $(1)/libiberty/libiberty/,cp-demangle.c rust-demangle.c safe-ctype.c))
library_sources = $(filter-out $(addprefix $(1)/,$(LIBRARY_UNUSED)),$(library_files))
library_headers = $(addprefix -isystem $(1)/,configured installed xxhash zstd/lib lz4/lib zlib cmark/src jansson/src)
library_flags = -w -DNDEBUG -DXXH_NAMESPACE=ZSTD_ -DHAVE_UNISTD_H -DHAVE_STDINT_H -DHAVE_STDLIB_H \
    -DHAVE_STRING_H -DHAVE_LIMITS_H -I$(1)/configured -I$(1)/libiberty/include
