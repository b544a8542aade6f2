# SPDX-License-Identifier: Apache-2.0
import os
import shutil

import pytest


@pytest.fixture(scope="session")
def wasm(program, root):
    """The WebAssembly program in node, called like `program`. In CI it must have been built."""
    path = root / "build/wasm/bin/profrender"
    if not path.is_file():
        assert not os.environ.get("CI"), "the WebAssembly program was not built: make wasm"
        pytest.skip("there is no WebAssembly program: clang has no wasi-libc here, or sources of libraries were not "
                    "to be had; `make wasm` says which")
    assert shutil.which(os.environ.get("NODE", "node"))
    return type(program)(path)
