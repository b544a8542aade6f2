# SPDX-License-Identifier: Apache-2.0
#
# Everything is built from here, into build/: the library (capture/), the program (render/ and cli/), the front end,
# the tests, the archives. `make help` lists the targets.
#
#   make CC=clang CFLAGS="-O3 -g"     another compiler, other flags; the warnings stay
#   make WERROR=1                     warnings are errors, as in CI
#   make install PREFIX=/usr DESTDIR=/tmp/package

# ---- what there is -------------------------------------------------------------------------------------------------

VERSION := 0.1.0
SOVERSION := 0

# Installed, below include/profrender/. They include one another as "capture/...", nothing else of ours.
PUBLIC_HEADERS := capture/capture.h capture/profile.h capture/calltree.h capture/owner.h capture/records.h \
    capture/table.h capture/base/arena.h capture/base/buf.h capture/base/error.h capture/base/strings.h

LIB_SOURCES := $(wildcard capture/*.c capture/base/*.c)
RENDER_SOURCES := $(wildcard render/*.c)
CLI_SOURCES := $(wildcard cli/*.c)
SUPPORT_SOURCES := $(wildcard tests/support/*.c)
UNIT_SOURCES := $(wildcard tests/unit/test_*.c)
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c)
FRONT_SOURCES := $(sort $(wildcard assets/*.mjs assets/src/*.* assets/src/*/*.* templates/*))

LIB_PACKAGES := libzstd liblz4 zlib
CLI_PACKAGES := jansson libcmark
TEST_PACKAGES := cmocka

ASSETS := $(if $(wildcard assets/bundle.mjs assets/prebuilt/assets.c),build/assets/assets.c)

DEMO_CAPTURE := samples/daily-sales.bin

# ---- how it is built -----------------------------------------------------------------------------------------------

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror)
SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# -fPIC and hidden symbols everywhere: the objects of the archive are those of the shared library too.
PR_CFLAGS := -std=c11 $(WARNINGS) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I. -Ibuild -pthread -fPIC -fvisibility=hidden
PKG_CONFIG ?= pkg-config
NODE ?= node
NPM ?= npm
PYTHON ?= python3
INSTALL ?= install

# pkg-config is asked once, and only when something is compiled: `make demo` may have to install it first.
once = $(eval $(1) := $$(shell $(2)))$($(1))
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(PKG_CONFIG) --cflags $(LIB_PACKAGES) $(CLI_PACKAGES))
LIB_LIBS = $(call once,LIB_LIBS,$(PKG_CONFIG) --libs $(LIB_PACKAGES)) -lm
CLI_LIBS = $(call once,CLI_LIBS,$(PKG_CONFIG) --libs $(CLI_PACKAGES))
TEST_LIBS = $(call once,TEST_LIBS,$(PKG_CONFIG) --libs $(TEST_PACKAGES))

all: build/profrender
lib: build/libprofrender.a build/libprofrender.so
assets: build/assets/assets.c

# One tree of objects and what is linked from them: $(call tree,DIRECTORY,COMPILER FLAGS). The variables of recipes are
# escaped, so that they are expanded when the recipe runs.
define tree
$(1)/obj/%.o: %.c
	@mkdir -p $$(@D)
	$$(CC) $$(PR_CFLAGS) $$(PKG_CFLAGS) $(2) $$(CPPFLAGS) -MMD -MP -c -o $$@ $$<

$(1)/obj/assets.o: build/assets/assets.c
	@mkdir -p $$(@D)
	$$(CC) $$(PR_CFLAGS) $(2) $$(CPPFLAGS) -MMD -MP -c -o $$@ $$<

# The names of the embedded files must be there before the first compilation of what includes them.
$(RENDER_SOURCES:%.c=$(1)/obj/%.o): | $(ASSETS)

$(1)/libprofrender.a: $(LIB_SOURCES:%.c=$(1)/obj/%.o)
$(1)/librender.a: $(RENDER_SOURCES:%.c=$(1)/obj/%.o) $(ASSETS:%=$(1)/obj/assets.o)
$(1)/libsupport.a: $(SUPPORT_SOURCES:%.c=$(1)/obj/%.o)
$(1)/libprofrender.a $(1)/librender.a $(1)/libsupport.a:
	@rm -f $$@
	$$(AR) rcs $$@ $$^

$(1)/profrender: $(CLI_SOURCES:%.c=$(1)/obj/%.o) $(1)/librender.a $(1)/libprofrender.a
	$$(CC) $(2) $$(LDFLAGS) -pthread -o $$@ $$^ $$(CLI_LIBS) $$(LIB_LIBS)

# Tests are linked with the archives, so they reach what the shared library hides.
$(1)/tests/test_%: $(1)/obj/tests/unit/test_%.o $(1)/libsupport.a $(1)/librender.a $(1)/libprofrender.a
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(LDFLAGS) -pthread -o $$@ $$^ $$(TEST_LIBS) $$(CLI_LIBS) $$(LIB_LIBS)

# A fuzz target with the main of tests/support/: it replays files instead of making them up.
$(1)/tests/fuzz_%: $(1)/obj/tests/fuzz/fuzz_%.o $(1)/libsupport.a $(1)/librender.a $(1)/libprofrender.a
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(LDFLAGS) -pthread -o $$@ $$^ $$(CLI_LIBS) $$(LIB_LIBS)
endef

$(eval $(call tree,build,$$(CFLAGS)))
$(eval $(call tree,build/asan,$(SANITIZE)))

build/libprofrender.so.$(VERSION): $(LIB_SOURCES:%.c=build/obj/%.o)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -shared -Wl,-soname,libprofrender.so.$(SOVERSION) -Wl,-z,defs -o $@ $^ $(LIB_LIBS)

build/libprofrender.so: build/libprofrender.so.$(VERSION)
	ln -sf $(<F) build/libprofrender.so.$(SOVERSION)
	ln -sf $(<F) $@

# ---- the front end: bundled by esbuild, embedded as arrays ---------------------------------------------------------

# A source archive carries the built files, so that it needs neither node nor a network.
PREBUILT := $(wildcard assets/prebuilt/assets.c)

ifneq ($(PREBUILT),)
build/assets/assets.c: assets/prebuilt/assets.c assets/prebuilt/assets.h
	@mkdir -p $(@D)
	cp assets/prebuilt/assets.h assets/prebuilt/assets.c $(@D)
else
build/assets/assets.c: $(FRONT_SOURCES) node_modules/.package-lock.json
	@mkdir -p $(@D)
	$(NODE) assets/bundle.mjs

node_modules/.package-lock.json: package.json package-lock.json
	$(NPM) ci --no-audit --no-fund
	@touch $@
endif

clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all lib assets clean
