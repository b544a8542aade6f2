# SPDX-License-Identifier: Apache-2.0
#
# The program as WebAssembly, for hosts of WASI preview 1: `make wasm`. It has every command that only reads; for each
# file of the program that asks for what WASI lacks, platform/wasi/ has another one.

WASM := build/wasm
WASM_LIBS := $(WASM)/sources

# -nostdlibinc: clang would find the headers of this machine's own C library after those of WASI's.
WASM_CC ?= clang --target=wasm32-wasi
WASM_OPT ?= wasm-opt
WASM_INCLUDES ?= -nostdlibinc -isystem /usr/include/wasm32-wasi
WASM_AR ?= llvm-ar
WASM_CFLAGS ?= -Os
# What works on what was read, not on each event, is as small as it can be: the page is one file to download.
WASM_SMALL := capture/compose/% capture/digest/% capture/explain/% capture/model/% capture/query/% capture/redact/% \
    capture/run/% capture/snapshots/% capture/frame/data_d% capture/frame/data_f% capture/frame/data_n% \
    capture/frame/data_r% capture/frame/data_s% capture/frame/pair_% capture/frame/view_% capture/frame/section_% \
    capture/frame/suspicious_% capture/frame/number_% capture/frame/box_% capture/frame/csv_shape% \
    capture/frame/phi_k% capture/frame/kendall% capture/frame/contingency% capture/frame/rank_% \
    capture/frame/cell_convert% capture/frame/table_reader% capture/frame/utf16_% capture/frame/word_% \
    capture/frame/character_% capture/frame/column_% capture/frame/row_% capture/memray/memray_v6% \
    capture/memray/memray_v7% capture/builder/% capture/arrow/% capture/base/% capture/parse/% capture/readers/% \
    capture/graph/% capture/jfr/% capture/nettrace/% capture/perf_data/% capture/symbols/% capture/input/% \
    capture/heap/alloc_stats% capture/heap/history% capture/heap/lifetimes% capture/heap/mapped_ranges% \
    capture/heap/memory_samples% capture/heap/object_lives% capture/heap/size_histogram% capture/heap/time_bins% \
    capture/frame/frequent% capture/foreign% capture/folder_files% capture/formats% capture/load% capture/run_folder% \
    render/% cli/% $(WASM_LIBS)/cmark/% $(WASM_LIBS)/jansson/% $(WASM_LIBS)/libiberty/%
WASM_ALL_FLAGS = -std=gnu11 $(WASM_CFLAGS) $(if $(filter $(WASM_SMALL),$<),-Oz) $(WASM_INCLUDES) -D_GNU_SOURCE -ffunction-sections -fdata-sections -fvisibility=hidden -MMD -MP

# ---- the libraries: the sources of this machine's packages ---------------------------------------------------------

WASM_LIB_SOURCES := $(call library_sources,$(WASM_LIBS))
WASM_LIB_HEADERS := $(call library_headers,$(WASM_LIBS))
WASM_LIB_FLAGS := $(call library_flags,$(WASM_LIBS)) -DDYNAMIC_BMI2=0

# Levels 6 and 9 of zstd, which are all that is asked for, take its strategies lazy, lazy2 and btlazy2 (clevels.h). The
# others are as small as they can be: they still work. Nothing is ever compressed with a dictionary, so the table of
# strategies has those without one in both places, and the linker leaves the others out.
WASM_ZSTD := $(WASM)/libs/zstd/lib/compress
WASM_ZSTD_STRATEGIES := fast doubleFast greedy lazy lazy2 btlazy2 btopt btultra greedy_row lazy_row lazy2_row
strategy_with = $(patsubst %_row,%,$(1))_$(2)$(if $(filter %_row,$(1)),_row)
without_dictionary = -DZSTD_compressBlock_$(call strategy_with,$(1),$(2))=ZSTD_compressBlock_$(1)

$(addprefix $(WASM_ZSTD)/,zstd_fast.o zstd_double_fast.o zstd_opt.o): private WASM_LIB_FLAGS += -Oz -DZSTD_NO_INLINE
$(WASM_ZSTD)/zstd_compress.o: private WASM_LIB_FLAGS += -Oz $(foreach with,dictMatchState dedicatedDictSearch,\
    $(foreach strategy,$(WASM_ZSTD_STRATEGIES),$(call without_dictionary,$(strategy),$(with))))

# ---- the program ---------------------------------------------------------------------------------------------------

# Files that WASI has no use for, or that one of platform/wasi/ replaces.
WASM_LEFT_OUT := capture/base/beneath_open.c capture/base/crew.c capture/base/processors.c capture/heap/pipeline.c capture/perf_data/perf_machine.c capture/symbols/elf_%.c \
    capture/symbols/regular_file.c capture/read_ahead.c cli/check/remote_store.c cli/commands.c cli/commands/cmd_mark.c \
    cli/commands/cmd_publish.c \
    cli/commands/cmd_record.c \
    cli/io/linux_system.c cli/io/system.c cli/io/unfinished.c cli/publish/%.c cli/record/%.c \
    render/sections/notes_memory.c
WASM_SOURCES := $(filter-out $(WASM_LEFT_OUT),$(LIB_SOURCES) $(RENDER_SOURCES) $(CLI_SOURCES)) \
    $(wildcard platform/wasi/*.c) platform/posix/posix_beneath.c
WASM_FLAGS = $(WARNINGS) -DPR_VERSION='"$(VERSION)"' -I. -Icapture/include -Ibuild $(WASM_LIB_HEADERS)
WASM_OBJECTS := $(patsubst %.c,$(WASM)/obj/%.o,$(WASM_SOURCES) build/assets/assets.c)
WASM_LIB_OBJECTS := $(WASM_LIB_SOURCES:$(WASM_LIBS)/%.c=$(WASM)/libs/%.o)

# The sources of the libraries come first: make looks for their files when it starts.
wasm:
	@sh tests/support/deps.sh wasm
	@sh platform/sources.sh $(WASM_LIBS)
	@$(MAKE) --no-print-directory $(JOBS) $(WASM)/drop.html

$(WASM)/libs/%.o: $(WASM_LIBS)/%.c $(WASM_LIBS)/versions platform/libraries.mk platform/wasi/wasm.mk
	@mkdir -p $(@D)
	$(call tell,CC)$(WASM_CC) $(WASM_ALL_FLAGS) $(WASM_LIB_FLAGS) -c -o $@ $<

$(WASM)/obj/%.o: %.c $(WASM_LIBS)/versions platform/wasi/wasm.mk Makefile | build/assets/assets.c
	@mkdir -p $(@D)
	$(call tell,CC)$(WASM_CC) $(WASM_ALL_FLAGS) $(WASM_FLAGS) -c -o $@ $<

$(WASM)/libs.a: $(WASM_LIB_OBJECTS)
	@rm -f $@
	$(call tell,AR)$(WASM_AR) rcsD $@ $^

# Without a level of optimization: with one, clang would call wasm-opt itself, with a level that is about speed. The
# stack comes first, so that an overflow traps and overwrites nothing.
$(WASM)/linked.wasm: $(WASM_OBJECTS) $(WASM)/libs.a
	$(call tell,LINK)$(WASM_CC) -Wl,--gc-sections,--stack-first,-z,stack-size=1048576,--strip-all -o $@ $^

# 12 % smaller, and 3 % to download, as fast as before (binaryen 108).
$(WASM)/profrender.wasm: $(WASM)/linked.wasm
	$(call tell,OPT)$(WASM_OPT) -Oz -o $@ $<

# ---- what users get ------------------------------------------------------------------------------------------------

# Debian's packages of what is linked in: their licences go along.
WASM_LICENCES := wasi-libc libclang-rt-dev-wasm32 libzstd-dev liblz4-dev zlib1g-dev libcmark-dev libjansson-dev \
    libxxhash-dev libiberty-dev
WASM_PACKAGE := $(WASM)/package

wasm-package: $(WASM)/profrender.wasm node_modules/.package-lock.json
	@rm -rf $(WASM_PACKAGE) && mkdir -p $(WASM_PACKAGE)/licenses $(WASM)/bin
	@cp $< platform/npm/package.json LICENSE README.md $(WASM_PACKAGE)/
	@cp platform/npm/index.d.ts platform/npm/node.mjs platform/npm/windows.mjs $(WASM_PACKAGE)/
	@$(NODE) platform/npm/bundle.mjs $(WASM_PACKAGE)/index.mjs
	@$(INSTALL) -m 755 platform/npm/profrender.mjs $(WASM_PACKAGE)/
	@for package in $(WASM_LICENCES); do \
	    cp -L /usr/share/doc/$$package/copyright $(WASM_PACKAGE)/licenses/$$package || exit; done
	@cp node_modules/@bjorn3/browser_wasi_shim/LICENSE-MIT $(WASM_PACKAGE)/licenses/browser_wasi_shim
	@$(INSTALL) -m 755 platform/npm/command.sh $(WASM)/bin/profrender

$(WASM)/drop.html: wasm-package $(wildcard assets/drop/*) assets/inline.mjs node_modules/.package-lock.json
	$(call tell,BUNDLE)$(NODE) assets/drop/bundle.mjs $(WASM_PACKAGE) build/assets $@
	@cp assets/drop/offline.js $(@D)/

.PHONY: wasm wasm-package
