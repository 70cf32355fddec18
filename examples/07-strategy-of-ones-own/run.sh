#!/usr/bin/env bash
# run.sh [BUILD_DIR]: compiles a softmax with and without the strategy in softmax-four-rows.mlir, verifies the code with
# this strategy against the interpreter, and compares the results of both in main.c. Then verifies a linear layer with
# the strategy in linear-tensor-cores.mlir. Its code for NVIDIA GPUs runs in an interpreter of PTX, so it needs no GPU.
# HEDDLE is the path of Heddle's compiler, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(mktemp -d)}
mkdir -p "$build"
heddle=${HEDDLE:-heddle} strategy=softmax=$here/softmax-four-rows.mlir
"$heddle" verify 'softmax rows=50 d=200' --strategy "$strategy"
"$heddle" compile 'softmax rows=50 d=200' -o "$build/own.o" --strategy "$strategy"
"$heddle" compile 'softmax rows=50 d=200' -o "$build/chosen.o"
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" "$here/main.c" "$build/own.o" "$build/chosen.o" -lm \
  -o "$build/softmax"
"$build/softmax"
strategy=linear=$here/linear-tensor-cores.mlir
"$heddle" verify 'linear m=200 n=96 k=72 type=bf16 bias=1' --device cuda-interpreted --strategy "$strategy"
"$heddle" compile 'linear m=2000 n=1024 k=1024 type=bf16 bias=1' --device cuda --strategy "$strategy" -o "$build/linear.ptx"
echo "linear.ptx: $(grep -c 'mma\.sync' "$build/linear.ptx") instructions for tensor cores"
