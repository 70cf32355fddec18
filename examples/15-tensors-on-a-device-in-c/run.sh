#!/usr/bin/env bash
# run.sh [BUILD_DIR [DEVICE]]: compiles a linear layer and a softmax for the kind of DEVICE (default: vulkan), links them
# with main.c, and runs the program on DEVICE. HEDDLE is the path of Heddle's compiler, HEDDLE_RUNTIME the folder of
# libheddle.a, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(mktemp -d)}
device=${2:-vulkan}
heddle=${HEDDLE:-heddle}
# The default is a folder of the build that contains the compiler. For an installed Heddle set HEDDLE_RUNTIME to
# PREFIX/lib.
runtime=${HEDDLE_RUNTIME:-$(dirname "$(command -v "$heddle")")/../runtime}
mkdir -p "$build"
"$heddle" compile 'linear m=16 n=64 k=96 bias=1 weights=constant' --device "${device%%:*}" -o "$build/scores.a"
"$heddle" compile 'softmax rows=16 d=64' --device "${device%%:*}" -o "$build/classes.a"
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" -I"$here/../../runtime/include" "$here/main.c" \
  "$build/scores.a" "$build/classes.a" "$runtime/libheddle.a" -lstdc++ -lpthread -ldl -lm -o "$build/two-models"
"$build/two-models" "$device"
