#!/bin/sh
# aarch64_variants.sh HEDDLE FOLDER QEMU RUNNER: compiles a library for two CPUs of 64-bit Arm and verifies it on each.
set -eu
heddle=$1 folder=$2 qemu=$3 runner=$4
mkdir -p "$folder"
model='linear m=5 n=40 k=12 bias=1 activation=gelu weights=constant'
"$heddle" compile "$model" -o "$folder/two.so" --target aarch64-linux-gnu --mcpu cortex-a57,neoverse-n1

# verify CPU [OPTION...]: compares the library's results on an emulated CPU with the interpreter.
verify() {
  cpu=$1
  shift
  "$heddle" verify "$model" --library "$folder/two.so" --runner "\"$qemu\" -cpu $cpu -L /usr/aarch64-linux-gnu \"$runner\"" "$@"
}
verify cortex-a57
verify neoverse-n1
verify neoverse-n1 --variant cortex-a57
# The older CPU must reject the code for the newer one.
if verify cortex-a57 --variant neoverse-n1 2>"$folder/said"; then
  echo "cortex-a57 ran the code for neoverse-n1" >&2
  exit 1
fi
grep 'this CPU lacks features that the code was compiled for' "$folder/said"
