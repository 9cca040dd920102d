#!/usr/bin/env bash
# Installs Marey into an empty folder and uses it as a stranger does: lists, builds plugins against it, trains with one.
# usage: install_test.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/marey-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"   # plugins are not loaded from places that others can write to
export CMAKE_GENERATOR=Ninja
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1; fi
step() { printf '== %s\n' "$*"; }
build_plugin() {  # folder
  cmake -S "$1" -B "$1/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  cmake --build "$1/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

step "install"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
export PATH="$work/prefix/bin:$PATH"
cd "$work"
marey --version
marey list >list.txt
marey config "$work/prefix/share/marey/configs/quickstart/slowfast_motion.toml" >/dev/null

step "docs/write-a-plugin.md"
python3 - "$source/docs/write-a-plugin.md" "$work/page" <<'PY'
import pathlib, re, sys
out = pathlib.Path(sys.argv[2])
out.mkdir()
blocks = re.findall(r"^```(?:cpp|cmake)\n(?://|#) (\S+)\n(.*?)^```", pathlib.Path(sys.argv[1]).read_text(), re.M | re.S)
assert len(blocks) == 4, [name for name, _ in blocks]
for name, text in blocks:
    (out / name).write_text(text)
PY
build_plugin page
marey describe LossGuard --plugin page/build/loss_guard.so | grep -q after_steps

step "examples/external_plugin"
cp -r "$source/examples/external_plugin" example
rm -rf example/build
build_plugin example
marey list --plugin example/build/external_plugin.so | grep -q FrameDifference
marey data motion --out data --train 2 --val 1 --quiet
sed "s|../../data/motion|$work/data|" example/motion.toml >example/here.toml
marey train example/here.toml --plugin example/build/external_plugin.so train.max_epochs=1 --quiet
test -e runs/here/latest/checkpoints/last.json

step "scaffolds"
for kind in ${MAREY_TEST_KINDS:-backbone dataset head hook loss metric model optimizer schedule transform}; do
  marey new plugin "$kind" "my_$kind" --quiet >/dev/null
  build_plugin "my_$kind"
  ctest --test-dir "my_$kind/build" --output-on-failure >"$work/log" || { cat "$work/log"; exit 1; }
  marey list "$kind" --plugin "my_$kind/build/my_$kind.so" | grep -qi "my$kind"
  echo "   $kind"
done
