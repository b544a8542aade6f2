# SPDX-License-Identifier: Apache-2.0
#
# Everything is built from here, into build/: the library (capture/), the program (render/ and cli/), the front end,
# the tests, the archives.
#
#? make                  the program: build/profrender
#? make lib              the library: build/libprofrender.a and .so
#? make assets           the front end, bundled: build/assets/
#? make deps             installs what the build and the tests need and this machine lacks (Debian, Ubuntu)
#? make demo             installs what is missing, builds, renders a sample to build/demo.html
#? make test             installs what is missing, builds, runs every test
#? make test-frameworks  the packages in samples/ with the frameworks that they are for, as in make test, and their READMEs,
#?                       followed from nothing
#? make unit             the unit tests as the program is compiled; make test runs them under ASan and UBSan
#? make asan             the unit tests and the program over the samples, under ASan and UBSan
#? make tsan             the unit tests and the program over the samples, under TSan: data races
#? make fuzz T=memray    fuzzes one target of tests/fuzz/ with libFuzzer, until stopped
#? make bench            time and memory against memray's own reports, as ratios; BENCH=--help; what record costs;
#?                       traces of 1 GB against jq and speedscope, TRACES='--size 20M'; tables against
#?                       ydata-profiling, DuckDB and polars, TABLES='--rows 10000000'
#? make bench-counts     instructions, branch and cache misses an event, under callgrind, and what the page's script does:
#?                       against tests/bench/counts.txt; COUNTS=--record writes that file
#? make bench-verdict    false alarms of check on programs that did not change, and growths found; BENCH=--help
#? make bench-moved      alarms of check about code that only moved, in a hundred programs
#? make bench-card       how fast a card opens, zooms and searches, against other viewers in the same browser
#? make golden-record    rewrites the expected files of tests/golden/; read the difference like code
#? make dist             a source archive with the front end built: needs a C compiler and the libraries only
#? make doc              the manual pages and the completion of shells, as the program writes them: build/doc/
#? make install          program, manual, completion, schemas, headers, libraries, pkg-config file;
#?                       PREFIX=/usr/local, DESTDIR=
#? make static           an archive of the program, manual, completion, schemas that needs nothing but the C library (glibc;
#?                       the archive is named after the oldest version that will do)
#? make wheel            the same program as a wheel for pip
#? make cross            the program for x86-64 and arm64, with glibc 2.17 or later and with musl, which needs no library:
#?                       build/cross/*/profrender; make wheels: as wheels; make test-cross: runs them, arm64 by QEMU
#? make deb              Debian's packages, by dpkg-buildpackage, and what lintian says of them: build/deb/
#? make container        an image of the program and nothing else, for x86-64 and arm64, by buildah: build/container/image
#? make recipes          archives of the program with musl, and recipes for Homebrew, conda and nix: build/recipes/
#? make test-packaging   builds wheels, Debian's packages, image and recipes, and runs what is in them
#? make cross-check      the commands that read, compiled and linked for macOS and FreeBSD, where nobody has run them:
#?                       build/cross/*-macos*, *-freebsd*
#? make wasm             the program as WebAssembly: for node in build/wasm/package, and as one page that turns dropped
#?                       files into cards, build/wasm/drop.html (with clang, on Debian or Ubuntu)
#? make format           clang-format over the C sources
#? make clean            removes build/
#?
#? CC=clang CFLAGS="-O3 -g"     another compiler, other flags; the warnings stay
#? WERROR=1                     warnings are errors (default where CI is set)
#? V=1                          shows the commands

# ---- what there is -------------------------------------------------------------------------------------------------

VERSION := 0.1.0
SOVERSION := 0

# The public API: installed unchanged.
PUBLIC_HEADERS := $(wildcard capture/include/profrender/*.h)

LIB_SOURCES := $(wildcard capture/*.c capture/*/*.c)
RENDER_SOURCES := $(wildcard render/*.c render/*/*.c)
CLI_SOURCES := $(wildcard cli/*.c cli/*/*.c)
UNIT_SOURCES := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
# Formats whose reader tests/fuzz/fuzz_reader.c gives any bytes to; other targets have a source of their own.
FUZZ_FORMATS := austin callgrind collapsed cpuprofile dhat firefox gnu-time go-text gperftools heap-text heapprofile \
    heapsnapshot heaptrack hprof jfr massif metaflow mojo mprof nettrace otlp perf perf-data psrecord pstats \
    pyinstrument sadf scalene speedscope stackprof stderr tachyon timeline torch-memory \
    trace-event tracemalloc
FUZZ_READERS := $(subst -,_,$(FUZZ_FORMATS:%=fuzz_%))
FUZZ_SOURCES := $(filter-out tests/fuzz/fuzz_reader.c,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_TARGETS := $(sort $(FUZZ_READERS) $(FUZZ_SOURCES:tests/fuzz/%.c=%))
REPLAY_SOURCE := tests/tools/replay.c
MAKER_SOURCE := tests/tools/make_capture.c
SUPPORT_SOURCES := $(wildcard tests/support/*.c)
FRONT_SOURCES := $(sort $(wildcard assets/*.mjs assets/src/*.* assets/src/*/*.* assets/src/*/*/*.* templates/*))

LIB_PACKAGES := libzstd liblz4 zlib libdw libelf
PLAIN_LIBS := -liberty -lm
HEADER_PACKAGES := libxxhash
CLI_PACKAGES := jansson libcmark
TEST_PACKAGES := cmocka

# ---- how it is built -----------------------------------------------------------------------------------------------

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
SCHEMADIR ?= $(PREFIX)/share/profrender/schemas

PKG_CONFIG ?= pkg-config
NODE ?= node
NPM ?= npm
PYTHON ?= python3
INSTALL ?= install
FUZZ_CC ?= clang

CFLAGS ?= -O2 -g
# What the compiler has of this is in all that is shipped, not in the sanitizers' builds. FORTIFY needs optimization, and
# gives way to a level in CFLAGS. HARDENING= builds without.
HARDENING = $(eval HARDENING := $$(foreach flag,$$(HARDENING_WANTED),$$(call taken,$$(flag))) $$(FORTIFY))$(HARDENING)
HARDENING_WANTED := -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard
OPTIMIZES = $(filter -O%,$(filter-out -O0,$(CFLAGS)))
FORTIFY = $(if $(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,$(if $(OPTIMIZES),-U_FORTIFY_SOURCE $(FORTIFY_LEVEL)))
FORTIFY_LEVEL = $(or $(call taken,-D_FORTIFY_SOURCE=3),-D_FORTIFY_SOURCE=2)
# Of the program it is known by its build id which build of a version it is (cli/publish/build_id.h).
HARDENED_LINK := -Wl,-z,relro,-z,now,-z,noexecstack,--build-id=sha1
# $(call taken,FLAG): itself, if CC takes it without a word.
taken = $(shell echo 'int x;' | $(CC) -Werror -O2 -U_FORTIFY_SOURCE $(1) -include string.h -x c -c -o /dev/null - \
    >/dev/null 2>&1 && echo '$(1)')
WERROR ?= $(if $(CI),1)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror)
# Places of lines are all that a report needs: it is compiled a fifth faster without the rest.
SANITIZE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZE_THREADS := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread
# tests/support/alloc_fail.h makes allocations of test programs fail.
WRAP_ALLOC := -Wl,-u,__wrap_malloc,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign
# -fPIC and hidden symbols everywhere: the objects of the archive are those of the shared library too.
PR_CFLAGS = -std=c11 $(WARNINGS) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DPR_VERSION='"$(VERSION)"' -I. -Icapture/include \
    -Ibuild -pthread -fPIC -fvisibility=hidden $(PKG_CFLAGS) $(CPPFLAGS) -MMD -MP

# pkg-config is asked once, and only when something is compiled: `make demo` may have to install it first.
once = $(eval $(1) := $$(shell $$(PKG_CONFIG) $(2)))$($(1))
PKG_CFLAGS = $(call once,PKG_CFLAGS,--cflags $(LIB_PACKAGES) $(HEADER_PACKAGES) $(CLI_PACKAGES))
PKG_LIBS = $(call once,PKG_LIBS,--libs $(LIB_PACKAGES))
LIB_LIBS = $(PKG_LIBS) $(PLAIN_LIBS)
CLI_LIBS = $(call once,CLI_LIBS,--libs $(CLI_PACKAGES))
TEST_LIBS = $(call once,TEST_LIBS,--libs $(TEST_PACKAGES))

# Before each recipe: its short name, unless V=1 shows the commands themselves.
tell = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$@';)

all: build/profrender
lib: build/libprofrender.a build/libprofrender.so
assets: build/assets/assets.c

help:
	@sed -n 's/^#? \{0,1\}//p' Makefile

# One tree of objects, and what is linked from them: $(call tree,DIRECTORY,COMPILER,FLAGS).
define tree
$(1)/obj/%.o: %.c $(1)/flags
	@mkdir -p $$(@D)
	$$(call tell,CC)$(2) $$(PR_CFLAGS) $(3) -c -o $$@ $$<

$(FUZZ_READERS:%=$(1)/obj/tests/fuzz/%.o): $(1)/obj/tests/fuzz/fuzz_%.o: tests/fuzz/fuzz_reader.c $(1)/flags
	@mkdir -p $$(@D)
	$$(call tell,CC)$(2) $$(PR_CFLAGS) $(3) -DFORMAT='"$$(subst _,-,$$*)"' -c -o $$@ $$<

$(1)/obj/assets.o: build/assets/assets.c $(1)/flags
	@mkdir -p $$(@D)
	$$(call tell,CC)$(2) $$(PR_CFLAGS) $(3) -c -o $$@ $$<

$(1)/obj/capture/load.o: Makefile

# Other flags, other objects: none that was made without hardening is left in a program that has it.
$(1)/flags: FORCE
	@mkdir -p $$(@D)
	@echo "$(2) $(3)" | cmp -s - $$@ || echo "$(2) $(3)" >$$@

# An archive is made anew when a source has come or gone, too: the time of no object tells that one is missing.
$(1)/sources: FORCE
	@mkdir -p $$(@D)
	@echo "$(LIB_SOURCES) $(RENDER_SOURCES) $(CLI_SOURCES) $(SUPPORT_SOURCES)" | cmp -s - $$@ || \
	    echo "$(LIB_SOURCES) $(RENDER_SOURCES) $(CLI_SOURCES) $(SUPPORT_SOURCES)" >$$@

# assets.h must be there before the first compilation of what includes it; later, the .d files know.
$(RENDER_SOURCES:%.c=$(1)/obj/%.o): | build/assets/assets.c

$(1)/libprofrender.a: $(LIB_SOURCES:%.c=$(1)/obj/%.o)
$(1)/librender.a: $(RENDER_SOURCES:%.c=$(1)/obj/%.o) $(1)/obj/assets.o
$(1)/libcli.a: $(patsubst %.c,$(1)/obj/%.o,$(filter-out cli/main.c,$(CLI_SOURCES)))
$(1)/libsupport.a: $(SUPPORT_SOURCES:%.c=$(1)/obj/%.o)
$(1)/libprofrender.a $(1)/librender.a $(1)/libcli.a $(1)/libsupport.a: $(1)/sources
	@rm -f $$@
	$$(call tell,AR)$$(AR) rcs $$@ $$(filter %.o,$$^)

$(1)/profrender: $(CLI_SOURCES:%.c=$(1)/obj/%.o) $(1)/librender.a $(1)/libprofrender.a
	$$(call tell,LINK)$(2) $(3) $$(HARDENED_LINK) $$(LDFLAGS) -pie -pthread -o $$@ $$^ $$(CLI_LIBS) $$(LIB_LIBS)

# Tests are linked with the archives, so they reach what the shared library hides.
$(foreach source,$(UNIT_SOURCES),$(eval $(1)/tests/$(basename $(notdir $(source))): $(1)/obj/$(source:.c=.o)))
$(1)/tests/test_%: $(1)/libsupport.a $(1)/libcli.a $(1)/librender.a $(1)/libprofrender.a
	$$(if $$(filter $(1)/obj/tests/unit/%,$$^),,$$(error no test is called $$(@F)))
	@mkdir -p $$(@D)
	$$(call tell,LINK)$(2) $(3) $$(WRAP_ALLOC) $$(LDFLAGS) -pthread -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) \
	    $$(TEST_LIBS) $$(CLI_LIBS) $$(LIB_LIBS)
endef

$(eval $(call tree,build,$$(CC),$$(HARDENING) $$(CFLAGS)))
$(eval $(call tree,build/asan,$$(CC),$(SANITIZE)))
$(eval $(call tree,build/tsan,$$(CC),$(SANITIZE_THREADS)))

build/libprofrender.so.$(VERSION): $(LIB_SOURCES:%.c=build/obj/%.o)
	$(call tell,LINK)$(CC) $(CFLAGS) $(HARDENED_LINK) $(LDFLAGS) -pthread -shared -Wl,-soname,libprofrender.so.$(SOVERSION) -Wl,-z,defs \
	    -Wl,--exclude-libs,libiberty.a -o $@ $^ $(LIB_LIBS)

build/libprofrender.so: build/libprofrender.so.$(VERSION)
	@ln -sf $(<F) build/libprofrender.so.$(SOVERSION)
	@ln -sf $(<F) $@

# ---- the front end: bundled by esbuild, embedded as arrays ---------------------------------------------------------

# A source archive carries the built files, so that it needs neither node nor a network.
ifneq ($(wildcard assets/prebuilt/assets.c),)
build/assets/assets.c: assets/prebuilt/assets.c assets/prebuilt/assets.h
	@mkdir -p $(@D)
	$(call tell,COPY)cp assets/prebuilt/assets.h assets/prebuilt/assets.c $(@D)
else
build/assets/assets.c: $(FRONT_SOURCES) node_modules/.package-lock.json
	$(call tell,BUNDLE)$(NODE) assets/bundle.mjs $(@D)
endif

node_modules/.package-lock.json: package.json package-lock.json
	$(call tell,NPM)$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

# ---- the manual, completion: written by the program, from the tables that it reads its arguments with --------------

doc: build/doc/profrender.1

build/doc/profrender.1: build/profrender doc/pages.sh
	$(call tell,DOC)sh doc/pages.sh build/profrender $(@D)

# ---- demo, tests ---------------------------------------------------------------------------------------------------

# Two makes, one after the other: the first may install pkg-config and the headers, the second looks for them.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@sh tests/support/deps.sh test

demo:
	@sh tests/support/deps.sh demo
	@$(MAKE) --no-print-directory $(JOBS) build/profrender
	@sh samples/demo.sh build/profrender build/demo.html

UNIT_TESTS := $(addprefix tests/,$(basename $(notdir $(UNIT_SOURCES))))
FUZZ_REPLAYS := $(FUZZ_TARGETS:%=build/asan/tests/%)

test:
	@sh tests/support/deps.sh test
	@$(MAKE) --no-print-directory $(JOBS) test-programs
	@! sh platform/sources.sh $(WASM_LIBS) || $(MAKE) --no-print-directory $(JOBS) $(WASM)/drop.html
	@$(PYTHON) tests/run.py

test-frameworks: build/profrender
	@$(PYTHON) tests/run.py frameworks readmes

test-programs: build/profrender build/asan/profrender lib node_modules/.package-lock.json $(FUZZ_REPLAYS) \
    $(UNIT_TESTS:%=build/asan/%) build/tests/make_capture build/doc/profrender.1

build/tests/make_capture: $(MAKER_SOURCE:%.c=build/obj/%.o) build/libsupport.a build/libprofrender.a
	@mkdir -p $(@D)
	$(call tell,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIB_LIBS)

# Walks the records of a capture: a limit to measure against, see tests/bench/bench.py.
build/tests/walk: build/obj/tests/bench/walk.o build/libprofrender.a
	$(call tell,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIB_LIBS)

unit: $(UNIT_TESTS:%=build/%)
	@$(PYTHON) tests/run.py unit

tsan: build/tsan/profrender $(UNIT_TESTS:%=build/tsan/%)
	@$(PYTHON) tests/run.py tsan

asan: build/asan/profrender $(UNIT_TESTS:%=build/asan/%) $(FUZZ_REPLAYS)
	@$(PYTHON) tests/run.py asan fuzz

golden-record: build/profrender
	@$(PYTHON) tests/support/packages.py pytest pytest tests/golden -q --record

bench: build/profrender build/tests/make_capture build/tests/walk
	@$(PYTHON) tests/bench/bench.py $(BENCH)
	@$(PYTHON) tests/bench/record.py
	@$(PYTHON) tests/bench/traces.py $(TRACES)
	@$(PYTHON) tests/bench/formats.py $(FORMATS)
	@$(PYTHON) tests/bench/tables.py $(TABLES)

bench-counts: build/profrender build/tests/make_capture build/assets/assets.c
	@$(PYTHON) tests/bench/counts.py $(COUNTS)

bench-verdict: build/profrender
	@$(PYTHON) tests/bench/verdict.py $(BENCH)

bench-moved: build/profrender
	@$(PYTHON) tests/bench/moved.py

bench-card: build/profrender build/tests/make_capture node_modules/.package-lock.json
	@$(NODE) tests/bench/stress.mjs
	@$(NODE) tests/bench/card.mjs $(BENCH)

# ---- fuzzing -------------------------------------------------------------------------------------------------------

# With a main that replays files instead of making them up. What was found goes to tests/fuzz/regressions/, under a name
# that says what it was, and stays found.
build/asan/tests/fuzz_%: build/asan/obj/tests/fuzz/fuzz_%.o $(REPLAY_SOURCE:%.c=build/asan/obj/%.o) \
    build/asan/libsupport.a build/asan/libcli.a build/asan/librender.a build/asan/libprofrender.a
	@mkdir -p $(@D)
	$(call tell,LINK)$(CC) $(SANITIZE) $(LDFLAGS) -pthread -o $@ $^ $(CLI_LIBS) $(LIB_LIBS)

ifneq ($(T),)
$(eval $(call tree,build/fuzz,$$(FUZZ_CC),$(SANITIZE) -fsanitize=fuzzer-no-link))

build/fuzz/fuzz_%: build/fuzz/obj/tests/fuzz/fuzz_%.o build/fuzz/libsupport.a build/fuzz/libcli.a \
    build/fuzz/librender.a build/fuzz/libprofrender.a
	$(call tell,LINK)$(FUZZ_CC) $(SANITIZE) -fsanitize=fuzzer $(LDFLAGS) -pthread -o $@ $^ $(CLI_LIBS) $(LIB_LIBS)

fuzz: build/fuzz/fuzz_$(T) build/tests/make_capture build/profrender
	@mkdir -p build/fuzz/corpus/$(T) build/fuzz/found/$(T)
	$(if $(filter memray card,$(T)),build/tests/make_capture seeds 60 build/fuzz/corpus/$(T))
	$(if $(filter digest,$(T)),sh tests/fuzz/digest_seeds.sh build/profrender build/fuzz/corpus/$(T))
	build/fuzz/fuzz_$(T) $(addprefix -dict=,$(wildcard tests/fuzz/$(T).dict)) \
	    -artifact_prefix=build/fuzz/found/$(T)/ -max_len=16384 -timeout=10 -rss_limit_mb=2048 $(FUZZ_FLAGS) \
	    build/fuzz/corpus/$(T) $(wildcard tests/fuzz/regressions/$(T)) samples
else
fuzz:
	@echo 'which target? make fuzz T=NAME, one of: $(FUZZ_TARGETS:fuzz_%=%)' >&2; exit 2
endif

# ---- install, archive ----------------------------------------------------------------------------------------------

build/profrender.pc: profrender.pc.in Makefile
	@mkdir -p $(@D)
	$(call tell,PC)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(PLAIN_LIBS)|' \
	    -e 's|@PACKAGES@|$(LIB_PACKAGES)|' $< >$@

.PHONY: build/profrender.pc

install: install-program lib build/profrender.pc
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 build/libprofrender.a $(DESTDIR)$(LIBDIR)/
	$(INSTALL) -m 755 build/libprofrender.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	ln -sf libprofrender.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libprofrender.so.$(SOVERSION)
	ln -sf libprofrender.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libprofrender.so
	$(INSTALL) -m 644 build/profrender.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	$(INSTALL) -d $(DESTDIR)$(INCLUDEDIR)/profrender
	$(INSTALL) -m 644 $(PUBLIC_HEADERS) $(DESTDIR)$(INCLUDEDIR)/profrender/

# PROGRAM may be build/static/profrender.
PROGRAM ?= build/profrender

install-program: $(PROGRAM) doc
	$(INSTALL) -D -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/profrender
	for page in build/doc/*.1; do $(INSTALL) -D -m 644 $$page $(DESTDIR)$(MANDIR)/man1/$${page##*/} || exit; done
	$(INSTALL) -d $(DESTDIR)$(SCHEMADIR)
	$(INSTALL) -m 644 schemas/*.schema.json $(DESTDIR)$(SCHEMADIR)/
	$(INSTALL) -D -m 644 build/doc/profrender.bash $(DESTDIR)$(BASHDIR)/profrender
	$(INSTALL) -D -m 644 build/doc/profrender.zsh $(DESTDIR)$(ZSHDIR)/_profrender
	$(INSTALL) -D -m 644 build/doc/profrender.fish $(DESTDIR)$(FISHDIR)/profrender.fish

# The files that git tracks, as they are now, and what was built of them: the front end, the WebAssembly program and its
# page. The same tree gives the same archive.
DIST := profrender-$(VERSION)
DIST_FOLDER ?= build/dist
PREBUILT_WASM ?= $(addprefix build/wasm/,package/profrender.wasm drop.html offline.js)

dist: build/assets/assets.c $(if $(PREBUILT_WASM),wasm)
	@rm -rf $(DIST_FOLDER) && mkdir -p $(DIST_FOLDER)/$(DIST)/assets/prebuilt
	@git ls-files -z | xargs -0 cp --parents -t $(DIST_FOLDER)/$(DIST)
	@cp build/assets/assets.c build/assets/assets.h $(PREBUILT_WASM) $(DIST_FOLDER)/$(DIST)/assets/prebuilt/
	@tar -C $(DIST_FOLDER) --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(git log -1 --format=%ct) \
	    -cf $(DIST_FOLDER)/$(DIST).tar $(DIST)
	@gzip -9nf $(DIST_FOLDER)/$(DIST).tar
	@rm -rf $(DIST_FOLDER)/$(DIST)
	@echo $(DIST_FOLDER)/$(DIST).tar.gz

# All but the C library is linked in: that one stays outside, because what the program opens at run time (NVML,
# debuginfod) brings it along. A static libdw wants more libraries than it names.
STATIC_MORE = $(call once,STATIC_MORE,--static --libs $(LIB_PACKAGES))
STATIC_LIBS = $(filter-out -lm -lpthread -pthread,$(CLI_LIBS) $(LIB_LIBS) $(STATIC_MORE))
# The oldest C library that has all it calls is in the name.
STATIC = profrender-$(VERSION)-$(shell uname -s | tr A-Z a-z)-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))-glibc$(shell \
    sh tests/support/glibc.sh build/static/profrender)
# Debian's packages of what is linked in: their licences go along.
STATIC_PACKAGES := libdw-dev libelf-dev libiberty-dev libjansson-dev liblz4-dev libzstd-dev zlib1g-dev libbz2-dev \
    liblzma-dev libxxhash-dev libcmark-dev

build/static/profrender: $(CLI_SOURCES:%.c=build/obj/%.o) build/librender.a build/libprofrender.a
	@mkdir -p $(@D)
	$(call tell,LINK)$(CC) $(CFLAGS) $(HARDENED_LINK) $(LDFLAGS) -pie -s -pthread -static-libgcc -o $@ $^ -Wl,-Bstatic -Wl,--start-group \
	    $(STATIC_LIBS) -Wl,--end-group -Wl,-Bdynamic -lm

static: build/static/profrender
	@rm -rf build/static/tree
	@$(MAKE) -s --no-print-directory install-program PROGRAM=$< DESTDIR=build/static/tree/ PREFIX=$(STATIC)
	@cp LICENSE README.md build/static/tree/$(STATIC)/
	@sh doc/archive.sh build/static/profrender >build/static/tree/$(STATIC)/INSTALL
	@for package in $(STATIC_PACKAGES); do [ ! -f /usr/share/doc/$$package/copyright ] || \
	    $(INSTALL) -D -m 644 /usr/share/doc/$$package/copyright build/static/tree/$(STATIC)/licenses/$$package; done
	@tar -C build/static/tree --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 \
	    -cf build/static/$(STATIC).tar $(STATIC)
	@gzip -9nf build/static/$(STATIC).tar
	@echo build/static/$(STATIC).tar.gz

wheel: build/static/profrender
	@rm -f build/static/profrender-*.whl
	@PROFRENDER_STATIC=1 $(PYTHON) -m pip wheel -q --no-deps -w build/static .
	@ls build/static/profrender-*.whl

include platform/libraries.mk
include platform/wasi/wasm.mk
include platform/cross/cross.mk
include platform/posix/posix.mk
include packaging/packaging.mk

format:
	clang-format -i $(shell git ls-files '*.[ch]')

# For tests/structure: how a file is compiled.
print-flags:
	@echo $(PR_CFLAGS) | sed 's/ -MMD.*//'

# For tests/run.py and tests/structure: the names that `make fuzz T=NAME` takes.
fuzz-targets:
	@echo $(FUZZ_TARGETS:fuzz_%=%)

clean:
	rm -rf build

-include $(shell find build -type f -name '*.d' 2>/dev/null)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: FORCE all help lib assets deps doc demo test test-frameworks test-programs unit asan tsan golden-record bench bench-card bench-counts bench-moved bench-verdict fuzz install install-program dist static wheel format print-flags fuzz-targets clean
