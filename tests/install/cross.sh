#!/usr/bin/env bash
# cross.sh PROJECT PREFIX BUILD: cross-compiles PROJECT for 64-bit Arm in the folder BUILD, with the Heddle in PREFIX,
# and runs its program in an emulator. The environment variable HEDDLE is the program heddle.
set -euo pipefail
project=$1 prefix=$2 build=$3
rm -rf "$build"
unset CC CXX
cmake -S "$project" -B "$build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_PREFIX_PATH="$prefix" -DHEDDLE_EXECUTABLE="$HEDDLE" > "$build.log" 2>&1 ||
  { cat "$build.log" >&2; exit 1; }
cmake --build "$build" > "$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
said=$(qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/program")
echo "$said"
[ "$said" = '0: 0.05 0.05' ]
