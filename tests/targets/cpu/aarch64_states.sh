#!/bin/sh
# aarch64_states.sh HEDDLE FOLDER PYTHON CC QEMU SCRIPTS: runs SCRIPTS random sequences of calls on decoders that keep a
# past (Inputs/play-decoder.c), with code for 64-bit Arm in an emulator. The logits are compared with those of code for
# this machine, which other tests compare with the interpreter.
set -eu
heddle=$1 folder=$2 python=$3 cc=$4 qemu=$5 scripts=$6
here=$(dirname "$0")
root=$here/../../..
mkdir -p "$folder"

play() { # FAMILY NAME CC RUN [OPTION...]
  family=$1 name=$2 compiler=$3 run=$4
  shift 4
  "$heddle" compile "$root/tests/data/huggingface/$family" --decoder --name lm --dim batch_size=1..3 \
    --dim sequence_length=1,2..6 --dim capacity=6..32 -o "$folder/$name.a" "$@"
  "$compiler" -O1 -Wall -Wextra -I "$root/runtime/include" "$here/Inputs/play-decoder.c" "$folder/$name.a" -lm \
    -o "$folder/$name"
  $run "$folder/$name" "$scripts" > "$folder/$name.txt"
}
for family in tiny-gemma3 tiny-gpt2 tiny-llama; do
  play $family here cc "" --mcpu native
  play $family arm "$cc" "$qemu -cpu neoverse-n1 -L /usr/aarch64-linux-gnu" --target aarch64-linux-gnu --mcpu neoverse-n1
  "$python" - "$folder/here.txt" "$folder/arm.txt" $family <<'EOF'
import sys
here, arm = ([float(line) for line in open(path)] for path in sys.argv[1:3])
assert here and len(here) == len(arm), (len(here), len(arm))
largest = max(map(abs, here))
distance = max(abs(a - b) if a == a and b == b else float("inf") for a, b in zip(here, arm))
print(f"{sys.argv[3]}: {len(here)} logits, at most {distance:.2g} apart, the largest is {largest:.2g}")
assert distance <= 2e-5 * largest
EOF
done
