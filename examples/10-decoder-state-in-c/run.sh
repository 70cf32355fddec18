#!/usr/bin/env bash
# run.sh [BUILD_DIR]: compiles attention.mlir for the CPU of this machine to attention.a, links it with main.c and runs
# the program. HEDDLE is the path of Heddle's compiler, and CC the path of the C compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$(mktemp -d)}
mkdir -p "$build"
"${HEDDLE:-heddle}" compile "$here/attention.mlir" -o "$build/attention.a" --mcpu native \
  --dim batch_size=1..4 --dim sequence_length=1..16 --dim capacity=16..64
"${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -O2 -I"$build" "$here/main.c" "$build/attention.a" -lm \
  -o "$build/attention"
"$build/attention"
