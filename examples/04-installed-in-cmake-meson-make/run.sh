#!/usr/bin/env bash
# run.sh MODEL_DIR PREFIX [BUILD_DIR [BUILDER [ID...]]]: builds main.c with the Heddle that is installed in PREFIX and
# runs the program on token ids, with a comma between sentences. BUILDER is cmake (the default), meson or make. CC is
# the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$(cd "$1" && pwd)
prefix=$(cd "$2" && pwd)
build=${3:-$(mktemp -d)}
builder=${4:-cmake}
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if [ ! -f "$model/model.safetensors" ]; then
  echo "run.sh: '$model' is not the folder of a model: it has no model.safetensors" >&2
  exit 77 # the test counts as skipped
fi
case $builder in
cmake)
  cmake -S "$here" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DENCODER="$model" \
    -DCMAKE_C_FLAGS='-std=c99 -pedantic -Wall -Wextra -Werror -O2' > /dev/null
  cmake --build "$build" > /dev/null ;;
meson)
  [ -f "$build/build.ninja" ] || meson setup "$build" "$here" -Dencoder="$model" > /dev/null
  meson compile -C "$build" > /dev/null ;;
make)
  mkdir -p "$build" && cp "$here/Makefile" "$here/main.c" "$build"
  make -s -C "$build" ENCODER="$model" > /dev/null ;;
*) echo "run.sh: expected cmake, meson or make as BUILDER, found '$builder'" >&2; exit 2 ;;
esac
[ $# -gt 4 ] || set -- "$model" "$prefix" "$build" "$builder" 101 7592 2088 102 , 101 7592 102 # [CLS] hello world [SEP]
LD_LIBRARY_PATH=$prefix/lib "$build/sentences" "${@:5}"
