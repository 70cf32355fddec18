#!/bin/sh
# aarch64_dots.sh HEDDLE-OPT LLVM FOLDER PYTHON CC QEMU: compiles heddle.dot, which adds products of bytes, 16-bit
# integers or bf16 to sums, for several 64-bit Arm CPUs. Inputs/dots.c checks the results in an emulator.
set -eu
opt=$1 llvm=$2 folder=$3 python=$4 cc=$5 qemu=$6
inputs=$(dirname "$0")/Inputs
mkdir -p "$folder"
"$python" "$inputs/write_dots.py" "$folder"

# check FEATURES: tests the code for a CPU with these features. `neon` is in every 64-bit Arm CPU.
check() {
  "$opt" "$folder/dots.mlir" --heddle-expand-dots="features=$1" --heddle-convert-to-llvm -o "$folder/llvm.mlir"
  "$llvm/mlir-translate" --mlir-to-llvmir "$folder/llvm.mlir" -o "$folder/dots.ll"
  "$llvm/llc" -O2 -relocation-model=pic -mtriple=aarch64-linux-gnu -mattr="+$(echo "$1" | sed 's/,/,+/g')" "$folder/dots.ll" -o "$folder/dots.s"
  "$cc" -march=armv8.6-a -I "$folder" "$inputs/dots.c" "$folder/dots.s" -lm -o "$folder/dots"
  "$qemu" -cpu max -L /usr/aarch64-linux-gnu "$folder/dots"
}
check neon
check dotprod
check i8mm
check dotprod,i8mm,bf16
