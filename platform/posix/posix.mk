# SPDX-License-Identifier: Apache-2.0
#
# The program for macOS and FreeBSD: `make cross-check` compiles and links it with the compiler of `make cross`, whose
# package has the headers of both and what their C libraries export. It has every command that only reads, as the
# WebAssembly program; for each file that asks for what only Linux has, platform/posix/ has another one.

POSIX_TARGETS := aarch64-macos.11.0 x86_64-macos.11.0 x86_64-freebsd.14.0

# `record`, `mark` and `publish` ask Linux for more than a file or two; elfutils reads what ran on Linux.
POSIX_LEFT_OUT := capture/base/beneath_open.c capture/base/processors.c capture/perf_data/perf_machine.c capture/symbols/elf_%.c \
    capture/symbols/regular_file.c cli/commands.c cli/commands/cmd_mark.c cli/commands/cmd_publish.c \
    cli/commands/cmd_record.c cli/io/linux_system.c cli/publish/%.c cli/record/%.c
POSIX_SOURCES := $(filter-out $(POSIX_LEFT_OUT),$(LIB_SOURCES) $(RENDER_SOURCES) $(CLI_SOURCES)) \
    $(wildcard platform/posix/*.c) platform/wasi/wasi_commands.c platform/wasi/wasi_elf_file.c \
    platform/wasi/wasi_perf_machine.c build/assets/assets.c
POSIX_LIB_SOURCES := $(call library_sources,$(CROSS_LIBS))
# Included before each source of ours.
POSIX_MORE = $(if $(findstring macos,$(1)),-isystem platform/macos -include platform/macos/macos_functions.h)
POSIX_LINK = $(if $(findstring macos,$(1)),$(MACOS_LINK),$(FREEBSD_LINK))
MACOS_LINK := -Wl,-dead_strip
FREEBSD_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections
posix_cc = $(ZIG_RUN) cc -target $(1) -fPIE -pthread -ffunction-sections -fdata-sections -fvisibility=hidden \
    -fstack-protector-strong $(CROSS_CFLAGS) -MMD -MP

# TARGET_OS_MAC: zlib takes it for Mac OS 9. $(call posix_target,TARGET)
define posix_target
$(CROSS)/$(1)/libs/%.o: $(CROSS_LIBS)/%.c $(CROSS_LIBS)/versions platform/libraries.mk platform/posix/posix.mk
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(call posix_cc,$(1)) -std=gnu11 -D_GNU_SOURCE $(call library_flags,$(CROSS_LIBS)) \
	    -DDYNAMIC_BMI2=0 -DZSTD_DISABLE_ASM -UTARGET_OS_MAC -c -o $$@ $$<

$(CROSS)/$(1)/obj/%.o: %.c $(CROSS_LIBS)/versions platform/posix/posix.mk | build/assets/assets.c
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(call posix_cc,$(1)) $$(CROSS_FLAGS) $(call POSIX_MORE,$(1)) -c -o $$@ $$<

$(CROSS)/$(1)/libs.a: $(POSIX_LIB_SOURCES:$(CROSS_LIBS)/%.c=$(CROSS)/$(1)/libs/%.o)
	@rm -f $$@
	$$(call tell,AR)$(ZIG_RUN) ar rcsD $$@ $$^

$(CROSS)/$(1)/profrender: $(POSIX_SOURCES:%.c=$(CROSS)/$(1)/obj/%.o) $(CROSS)/$(1)/libs.a
	$$(call tell,LINK)$$(call posix_cc,$(1)) -s $(call POSIX_LINK,$(1)) -o $$@ $$^ -lm
endef

$(foreach target,$(POSIX_TARGETS),$(eval $(call posix_target,$(target))))

# The sources of the libraries come first: make looks for their files when it starts.
cross-check:
	@sh tests/support/deps.sh cross
	@sh platform/sources.sh $(CROSS_LIBS) libdw-dev:elfutils
	@$(PYTHON) tests/support/packages.py zig python -m ziglang version >/dev/null
	@$(MAKE) --no-print-directory $(JOBS) $(POSIX_TARGETS:%=$(CROSS)/%/profrender)

.PHONY: cross-check
