#!/usr/bin/env bash
# The layer check must find what it is there to find.
set -euo pipefail
check=$1/scripts/check-layers
"$check" "$1"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
refused() {  # file, include line
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/$(dirname "$1")" "$tree/plugins/models/other"
  : >"$tree/plugins/models/other/other.hpp"
  printf '%s\n' "$2" >"$tree/$1"
  if "$check" "$tree" 2>/dev/null; then
    echo "accepted in $1: $2" >&2
    exit 1
  fi
}
refused framework/src/core/x.cpp '#include <ATen/core/Tensor.h>'
refused framework/src/core/x.cpp '#include <marey/data/clip.hpp>'
refused framework/src/media/x.cpp '#include <marey/data/clip.hpp>'
refused framework/src/data/x.cpp '#include "model/preprocess.hpp"'
refused framework/src/data/x.cpp '#include <libavcodec/avcodec.h>'
refused framework/include/marey/model/x.hpp '#include <marey/data/loader.hpp>'
refused framework/src/train/x.cpp '#include "app/command.hpp"'
refused plugins/models/mine/x.cpp '#include "core/elf_note.hpp"'
refused plugins/models/mine/x.cpp '#include "../other/other.hpp"'
refused plugins/models/mine/x.cpp '#include <libavcodec/avcodec.h>'
