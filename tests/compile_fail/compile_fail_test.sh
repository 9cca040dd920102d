#!/usr/bin/env bash
# A source that must not compile, and what the compiler must say about it. Without a text it must compile.
# usage: compile_fail_test.sh COMPILER INCLUDE_FOLDER SOURCE [TEXT]
set -uo pipefail
said=$("$1" -std=c++20 -fsyntax-only -I"$2" "$3" 2>&1)
code=$?
if [ $# -lt 4 ]; then
  [ $code -eq 0 ] || { printf '%s\n%s must compile\n' "$said" "$3" >&2; exit 1; }
  exit 0
fi
[ $code -ne 0 ] || { echo "$3 compiles, and must not" >&2; exit 1; }
grep -qF -- "$4" <<<"$said" || { printf '%s\nexpected the compiler to say: %s\n' "$said" "$4" >&2; exit 1; }
