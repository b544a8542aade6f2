# SPDX-License-Identifier: Apache-2.0
#
# The program for other machines than this one: `make cross`. One compiler, zig's clang from PyPI, has the C libraries
# of all of them: glibc as old as 2.17, for wheels that any distribution of the last ten years takes, and musl, for
# programs that need no library at all. The libraries are compiled from the sources of this machine's packages, so every
# program packs, parses and numbers alike, and makes the same bytes.

CROSS := build/cross
CROSS_LIBS := $(CROSS)/sources
CROSS_TARGETS := x86_64-linux-gnu.2.17 aarch64-linux-gnu.2.17 x86_64-linux-musl aarch64-linux-musl
# -I: what pip sets for its own Python must not hide the package from this one.
ZIG := build/tests/zig/bin/python -I -m ziglang
# The C libraries that zig compiles are kept next to what is linked with them.
ZIG_RUN = ZIG_GLOBAL_CACHE_DIR=$(CURDIR)/$(CROSS)/zig ZIG_LOCAL_CACHE_DIR=$(CURDIR)/$(CROSS)/zig $(ZIG)

# ---- elfutils: only here, as the WebAssembly program has no files of code to look into -----------------------------

# Command lines, kernels and compression of kernel modules are called by nobody here; the rest is included by others.
# Disassemblers would need generated tables: no_disassembler.c stands for them.
ELFUTILS_UNUSED := libdwfl/argp-std.c libdwfl/bzip2.c libdwfl/lzma.c libdwfl/linux-kernel-modules.c \
    backends/common-reloc.c backends/linux-core-note.c backends/x86_corenote.c
ELFUTILS := $(CROSS_LIBS)/elfutils
ELFUTILS_SOURCES := $(filter-out $(ELFUTILS_UNUSED:%=$(ELFUTILS)/%),$(wildcard $(addprefix $(ELFUTILS)/,libelf/*.c \
    libdw/*.c libdwfl/*.c libebl/*.c libdwelf/*.c backends/*.c)) $(addprefix $(ELFUTILS)/lib/,crc32.c \
    crc32_file.c error.c next_prime.c))
ELFUTILS_FLAGS := -w -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DHAVE_CONFIG_H -I$(CROSS)/include \
    $(addprefix -I$(ELFUTILS)/,lib libelf libdw libdwfl libebl libdwelf libasm libcpu backends) \
    $(call library_headers,$(CROSS_LIBS))

$(CROSS)/include/config.h: platform/cross/elfutils.config
	@mkdir -p $(@D)
	@cp $< $@

# ---- one target ----------------------------------------------------------------------------------------------------

CROSS_CFLAGS ?= -O2
# What elfutils reads files of zlib with, and zstd's loops for x86-64, which are empty elsewhere.
CROSS_LIB_SOURCES := $(call library_sources,$(CROSS_LIBS)) $(wildcard $(CROSS_LIBS)/zlib/gz*.c)
CROSS_ASSEMBLY := zstd/lib/decompress/huf_decompress_amd64
CROSS_SOURCES := $(LIB_SOURCES) $(RENDER_SOURCES) $(CLI_SOURCES) build/assets/assets.c platform/cross/no_disassembler.c
# Constants of ours are enumerators, also where a double meets them.
CROSS_FLAGS = -std=c11 $(WARNINGS) -Wno-enum-float-conversion -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
    -DPR_VERSION='"$(VERSION)"' -I. -Icapture/include -Ibuild $(call library_headers,$(CROSS_LIBS))
CROSS_HARDENING := -fstack-protector-strong -fstack-clash-protection
cross_cc = $(ZIG_RUN) cc -target $(1) -fPIE -pthread -ffunction-sections -fdata-sections -fvisibility=hidden \
    $(CROSS_HARDENING) $(CROSS_CFLAGS) -MMD -MP

# $(call cross_target,TARGET)
define cross_target
$(CROSS)/$(1)/libs/elfutils/%.o: $(CROSS_LIBS)/elfutils/%.c $(CROSS)/include/config.h $(CROSS_LIBS)/versions
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(call cross_cc,$(1)) $(ELFUTILS_FLAGS) -c -o $$@ $$<

$(CROSS)/$(1)/libs/%.o: $(CROSS_LIBS)/%.c $(CROSS_LIBS)/versions platform/libraries.mk platform/cross/cross.mk
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(call cross_cc,$(1)) -std=gnu11 -D_GNU_SOURCE $(call library_flags,$(CROSS_LIBS)) \
	    -c -o $$@ $$<

$(CROSS)/$(1)/libs/$(CROSS_ASSEMBLY).o: $(CROSS_LIBS)/versions platform/cross/cross.mk
	@mkdir -p $$(@D)
	$$(call tell,AS)$$(call cross_cc,$(1)) -c -o $$@ $(CROSS_LIBS)/$(CROSS_ASSEMBLY).S

$(CROSS)/$(1)/obj/%.o: %.c $(CROSS_LIBS)/versions platform/cross/cross.mk | build/assets/assets.c
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(call cross_cc,$(1)) $$(CROSS_FLAGS) -c -o $$@ $$<

$(CROSS)/$(1)/libs.a: $(patsubst $(CROSS_LIBS)/%.c,$(CROSS)/$(1)/libs/%.o,$(CROSS_LIB_SOURCES) $(ELFUTILS_SOURCES)) \
    $(CROSS)/$(1)/libs/$(CROSS_ASSEMBLY).o
	@rm -f $$@
	$$(call tell,AR)$(ZIG_RUN) ar rcsD $$@ $$^

$(CROSS)/$(1)/profrender: $(patsubst %.c,$(CROSS)/$(1)/obj/%.o,$(CROSS_SOURCES) \
    $(if $(findstring gnu,$(1)),platform/cross/old_glibc.c)) $(CROSS)/$(1)/libs.a
	$$(call tell,LINK)$$(call cross_cc,$(1)) -s -pie -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--build-id=sha1 \
	    -o $$@ $$^ -lm
endef

$(foreach target,$(CROSS_TARGETS),$(eval $(call cross_target,$(target))))

# ---- what users get ------------------------------------------------------------------------------------------------

CROSS_PROGRAMS := $(CROSS_TARGETS:%=$(CROSS)/%/profrender)

# The sources of the libraries come first: make looks for their files when it starts.
cross:
	@sh tests/support/deps.sh cross
	@sh platform/sources.sh $(CROSS_LIBS) libdw-dev:elfutils
	@$(PYTHON) tests/support/packages.py zig python -m ziglang version >/dev/null
	@$(MAKE) --no-print-directory $(JOBS) $(CROSS_PROGRAMS)

# A wheel for each target: pip takes the one that fits the machine.
wheels: cross
	@rm -f $(CROSS)/profrender-*.whl
	@for target in $(CROSS_TARGETS); do \
	    PROFRENDER_CROSS=$$target $(PYTHON) -m pip wheel -q --no-deps -w $(CROSS) . || exit; done
	@ls $(CROSS)/profrender-*.whl

test-cross: cross
	@$(MAKE) --no-print-directory cross-check
	@$(PYTHON) tests/run.py cross

.PHONY: cross wheels test-cross
