#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The WebAssembly program under the name of the native one, for tests: build/wasm/bin/profrender.
exec "${NODE:-node}" "${0%/*}/../package/profrender.mjs" "$@"
