#!/usr/bin/env bash
# run.sh MODEL_DIR [BUILD_DIR]: compiles the sentence encoder in MODEL_DIR (a folder with config.json, model.safetensors
# and modules.json) to minilm.a, links it with main.c and runs the program. HEDDLE is the path of Heddle's compiler,
# and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
build=${2:-$(mktemp -d)}
if [ ! -f "$model/model.safetensors" ]; then
  echo "run.sh: '$model' is not the folder of a model: it has no model.safetensors" >&2
  exit 77 # the test counts as skipped
fi
mkdir -p "$build"
"${HEDDLE:-heddle}" compile "$model" -o "$build/minilm.a" --dim batch_size=1 --dim sequence_length=4
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" "$here/main.c" "$build/minilm.a" -lm \
  -o "$build/sentence"
"$build/sentence"
