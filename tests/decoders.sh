#!/bin/bash
# Runs `heddle verify --scripts` on every folder of tests/data/huggingface that contains decoding.safetensors (a small
# decoder), with at least N scripts (random sequences of calls) in all, the same number for each decoder:
#
#     tests/decoders.sh [N [HEDDLE [ARGUMENTS OF verify]]]
#
# By default, N is 2000 and HEDDLE is build/bin/heddle. The number of new tokens has two classes, the subranges
# 1 and 2..6, each with code of its own. On a device (--device vulkan), there are no classes: the range is 1..6.
# Environment variables: SEED is the seed of the first script of each decoder (default: 1). FAMILIES is a list of
# folders of decoders, such as tiny-gpt2,tiny-llama (default: all).
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
scripts=${1:-2000} heddle=${2:-$source/build/bin/heddle} seed=${SEED:-1}
shift $(($# < 2 ? $# : 2))
if [ -n "${FAMILIES:-}" ]; then
  IFS=, read -ra families <<< "$FAMILIES"
  families=("${families[@]/#/$source/tests/data/huggingface/}")
  families=("${families[@]/%//decoding.safetensors}")
else
  families=("$source"/tests/data/huggingface/*/decoding.safetensors)
fi
each=$(((scripts + ${#families[@]} - 1) / ${#families[@]}))
total=0 rows=1,2..6
[[ " $* " != *" --device"* ]] || rows=1..6
for file in "${families[@]}"; do
  folder=$(dirname "$file")
  "$heddle" verify "$folder" --decoder --dim batch_size=1..3 --dim "sequence_length=$rows" --dim capacity=4..32 \
    --scripts "$each" --seed "$seed" "$@" >&2
  echo "$(basename "$folder"): $each scripts"
  total=$((total + each))
done
echo "$total scripts are right"
