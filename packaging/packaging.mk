# SPDX-License-Identifier: Apache-2.0
#
# What those who distribute profrender build; packaging/README.md tells how each is used.

# From a source archive without the WebAssembly program: Debian wants all that is in it to be built there.
deb:
	@sh tests/support/deps.sh deb
	@$(MAKE) -s --no-print-directory dist PREBUILT_WASM= DIST_FOLDER=build/deb/source
	@sh packaging/debian/build.sh build/deb/source/$(DIST).tar.gz build/deb

container: cross
	@sh tests/support/deps.sh container
	@sh packaging/container/build.sh $(VERSION) build/container

# For x86-64 and arm64: program, manual, completion and schemas.
RECIPES := build/recipes
ARCHIVES := $(patsubst %,$(RECIPES)/$(DIST)-linux-%.tar.gz,x86_64 aarch64)

$(RECIPES)/$(DIST)-linux-%.tar.gz: build/cross/%-linux-musl/profrender
	@rm -rf $(RECIPES)/$* && mkdir -p $(RECIPES)/$*
	@$(MAKE) -s --no-print-directory install-program PROGRAM=$< PREFIX= DESTDIR=$(RECIPES)/$*/$(DIST)-linux-$*
	@cp LICENSE $(RECIPES)/$*/$(DIST)-linux-$*/
	@tar -C $(RECIPES)/$* --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - $(DIST)-linux-$* | gzip -9n >$@
	@rm -rf $(RECIPES)/$*

recipes: cross
	@$(MAKE) -s --no-print-directory $(ARCHIVES)
	@$(MAKE) -s --no-print-directory dist PREBUILT_WASM= DIST_FOLDER=$(RECIPES)/source
	@sh packaging/recipes.sh $(VERSION) $(RECIPES) $(ADDRESS)

test-packaging: build/profrender deb wheels container recipes
	@sh tests/support/deps.sh packaging
	@$(PYTHON) tests/run.py packaging

.PHONY: deb container recipes test-packaging
