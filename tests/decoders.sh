#!/bin/bash
# Verifies every small decoder of tests/data/huggingface by random scripts of calls, N of them in all:
#
#     tests/decoders.sh [N [HEDDLE [ARGUMENTS OF verify]]]
#
# with 2000 and build/bin/heddle by default. States lie between inaccessible pages (heddle verify --help). New tokens
# come in two classes; on a device, which has no classes (--device vulkan), in one range. SEED=M: the seed of each
# decoder's first script (1). FAMILIES=NAME,...: these decoders only.
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
