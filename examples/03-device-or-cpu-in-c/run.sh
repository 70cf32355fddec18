#!/usr/bin/env bash
# run.sh MODEL_DIR [BUILD_DIR [DEVICE ID...]]: compiles the sentence encoder in MODEL_DIR for Vulkan and for the CPU,
# links both with main.c, and runs the program on DEVICE (default: vulkan) with token ids, four for each sentence.
# HEDDLE is the path of Heddle's compiler, HEDDLE_RUNTIME the folder of libheddle.a, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
build=${2:-$(mktemp -d)}
heddle=${HEDDLE:-heddle}
# The default is a folder of the build that contains the compiler. For an installed Heddle set HEDDLE_RUNTIME to
# PREFIX/lib.
runtime=${HEDDLE_RUNTIME:-$(dirname "$(command -v "$heddle")")/../runtime}
if [ ! -f "$model/model.safetensors" ]; then
  echo "run.sh: '$model' is not the folder of a model: it has no model.safetensors" >&2
  exit 77 # the test counts as skipped
fi
mkdir -p "$build"
"$heddle" compile "$model" -o "$build/encoder_gpu.a" --device vulkan --dim batch_size=1 --dim sequence_length=4
"$heddle" compile "$model" -o "$build/encoder_cpu.a" --dim batch_size=1 --dim sequence_length=4
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" -I"$here/../../runtime/include" "$here/main.c" \
  "$build/encoder_gpu.a" "$build/encoder_cpu.a" "$runtime/libheddle.a" -lstdc++ -lpthread -ldl -lm \
  -o "$build/sentences"
[ $# -gt 2 ] || set -- "$model" "$build" vulkan 101 7592 2088 102 # [CLS] hello world [SEP]
"$build/sentences" "${@:3}"
