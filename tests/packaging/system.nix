# SPDX-License-Identifier: Apache-2.0
# Builds the recipe without nixpkgs: by the compiler and the libraries of this system, in the phases of its stdenv.
let
  names = [ "pkg-config" "cmark" "elfutils" "jansson" "libiberty" "lz4" "xxHash" "zlib" "zstd" ];
  libraries = builtins.listToAttrs (map (name: { inherit name; value = name; }) names);
  words = builtins.concatStringsSep " ";
in
recipe: tools:
import recipe (libraries // {
  lib = { licenses.asl20 = "Apache-2.0"; platforms.linux = [ builtins.currentSystem ]; };
  fetchurl = given: import <nix/fetchurl.nix> given;
  stdenv.mkDerivation = given: derivation (tools // {
    name = "${given.pname}-${given.version}";
    system = builtins.currentSystem;
    inherit (given) src installCheckPhase;
    builder = "/bin/sh";
    args = [ "-euc" ''
      PATH=/usr/bin:/bin HOME=$TMPDIR
      export PATH HOME
      tar xzf $src
      cd ${given.pname}-${given.version}
      make -j$NIX_BUILD_CORES ${words given.buildFlags}
      make ${words (map (flag: "'${flag}'") given.installFlags)} install
      eval "$installCheckPhase"
    '' ];
  });
})
