#!/usr/bin/env bash
# run.sh MODEL_DIR [BUILD_DIR [COUNT ID...]]: compiles the decoder in MODEL_DIR (a folder with config.json and
# model.safetensors, such as SmolLM2's) for the CPU of this machine to lm.a, links it with main.c, and generates COUNT
# tokens after the ids. HEDDLE is the path of Heddle's compiler, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
build=${2:-$(mktemp -d)}
mkdir -p "$build"
"${HEDDLE:-heddle}" compile "$model" --decoder -o "$build/lm.a" --mcpu native \
  --dim batch_size=1 --dim sequence_length=1,2..16 --dim capacity=1..512
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" "$here/main.c" "$build/lm.a" -lm -o "$build/decoder"
[ $# -gt 2 ] || set -- "$model" "$build" 12 3 8 1 -2 10
"$build/decoder" "${@:3}"
