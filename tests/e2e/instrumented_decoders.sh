#!/bin/bash
# instrumented_decoders.sh HEDDLE LLVM_TOOLS PYTHON CC CXX FOLDER SCRIPTS [FAMILY...]: runs SCRIPTS scripts (random
# sequences of calls, tests/targets/cpu/Inputs/play-decoder.c) on each decoder tests/data/huggingface/FAMILY, or on all
# decoders there. AddressSanitizer checks every load and store of the code, which is for x86-64-v3. First, the scripts
# run one after another, and every second script runs its calls on two threads. Then the same scripts run again, three
# at a time; the results must have the same bits as those of the first run. Finally, a buffer for results is one byte
# too short. The sanitizer must report this error, and its report is written to FOLDER/FAMILY.short. LLVM_TOOLS is the
# folder with opt and llc. FOLDER is deleted first. The environment variable OPTIONS contains further options of `heddle
# compile`.
set -euo pipefail
heddle=$(realpath "$(command -v "$1")") llvm=$2 python=$3 cc=$4 cxx=$5 folder=$6 scripts=$7
shift 7
tests=$(cd "$(dirname "$0")/.." && pwd)
families=("$@")
if ((!$#)); then
  families=("$tests"/data/huggingface/*/decoding.safetensors)
fi
runtime=$tests/../runtime
checks=(-fsanitize=address,undefined -fno-sanitize-recover=undefined -O1 -g1 -I "$runtime/include" -I "$runtime")
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$cxx" -std=c++17 "${checks[@]}" -c "$runtime/executor.cpp" "$runtime/cores.cpp"
for short in 0 1; do
  "$cc" "${checks[@]}" -Wall -Wextra -DPLAY_EXECUTOR -DPLAY_SHORT=$short -c "$tests/targets/cpu/Inputs/play-decoder.c" \
    -o play-$short.o
done
calls=0
for family in "${families[@]}"; do
  [[ $family != */* ]] || family=$(basename "$(dirname "$family")")
  arguments=("$tests/data/huggingface/$family" --decoder --dim batch_size=1..3 --dim sequence_length=1,2..6
             --dim capacity=6..32 --mcpu x86-64-v3 ${OPTIONS:-})
  "$python" "$tests/e2e/Inputs/compile_instrumented.py" address "$heddle" "$llvm" lm "${arguments[@]}"
  for short in 0 1; do
    "$cxx" "${checks[@]}" play-$short.o lm.o executor.o cores.o -lm -o play-$short
  done
  ./play-0 "$scripts" lm.weights > alone
  ./play-0 "$scripts" lm.weights 3 > together
  cmp alone together
  if ./play-1 1 lm.weights > short 2> "$family.short"; then
    echo "$family: the sanitizer did not report that the results are too short" >&2
    exit 1
  fi
  calls=$((calls + scripts * 16))
  echo "$family: $scripts scripts, $(wc -l < alone) logits"
done
echo "$calls calls access only their own memory"
