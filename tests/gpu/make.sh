#!/bin/sh
# make.sh BUILD KIT: makes the folder KIT from the build folder BUILD. KIT can be copied to a machine with a GPU, where
# KIT/run.sh needs only libc and the GPU's driver. A library that cannot be compiled is left out, with a message.
# Variables: KINDS, the kinds of devices (by default `cuda vulkan`); CASES, the list of models (by default cases.txt,
# which describes the format); MINILM, the folder of MiniLM, without which the case MINILM is left out.
# run.sh reads two files that this script writes: cases.tsv (name, CHECK, file of weights or -, error bounds) and
# profiled.txt (the names of the cases that ncu profiles).
set -eu
here=$(cd "$(dirname "$0")" && pwd) build=$(cd "$1" && pwd) kit=$2
heddle=$build/bin/heddle kinds=${KINDS:-cuda vulkan} cases=${CASES:-$here/cases.txt} minilm=${MINILM:-}
most=$((60 << 20)) # the maximum size of the kit in bytes
mkdir -p "$kit/libraries" "$kit/data"
cp "$build/tests/bin/gpu-kit" "$here/run.sh" "$here/peers.py" "$here/ptx/roofs.ptx" "$here/ptx/probes.ptx" "$kit"
: >"$kit/cases.tsv"
: >"$kit/profiled.txt"
log=$kit/making.log
: >"$log"

# MiniLM keeps only 1000 words, because its whole embedding table would be most of the kit.
if [ -n "$minilm" ]; then
  python3 "$here/few_words.py" "$minilm" "$kit/minilm"
fi

# words TEXT: prints TEXT without spaces at its ends.
words() { echo "$1" | sed 's/^ *//; s/ *$//'; }
grep -v '^#' "$cases" | while IFS='|' read -r name model comparison strategy profiled; do
  name=$(words "$name") model=$(words "$model") comparison=$(words "$comparison") strategy=$(words "$strategy")
  profiled=$(words "$profiled")
  set -- "$model"
  weights=-
  if [ "$model" = MINILM ]; then
    [ -n "$minilm" ] || continue
    set -- "$kit/minilm" --dim batch_size=1 --dim sequence_length=128
    weights=data/$name.weights
  fi
  bounds= made=
  for kind in $kinds; do
    library=$kit/libraries/$name.$kind.so
    set -- "$@" # the arguments are the model and its sizes
    if "$heddle" compile "$@" --device "$kind" ${strategy:+--strategy "$strategy"} --name model -o "$library" \
      $([ "$weights" = - ] || echo --weights "$kit/$weights") >>"$log" 2>&1; then
      made="$made $kind"
    else
      echo "make.sh: left out: $name for $kind: $(grep error: "$log" | tail -n 1)" >&2
      continue
    fi
    rm -f "${library%.so}.h"
    if [ "$comparison" = whole ] && [ -z "$bounds" ]; then
      "$kit/gpu-kit" inputs "$library" "$kit/data/$name.inputs.safetensors" 1
      "$heddle" run "$@" --interpret --input "$kit/data/$name.inputs.safetensors" \
        --output "$kit/data/$name.expected.safetensors" >>"$log" 2>&1
      # The error bounds that `heddle verify` prints for these inputs, one for each output.
      bounds=$("$heddle" verify "$@" --input "$kit/data/$name.inputs.safetensors" 2>>"$log" |
        sed -n 's/.*, bound \([0-9.e+-]*\) .*/\1/p' | tr '\n' ' ')
    fi
  done
  [ -z "$made" ] || [ -z "$profiled" ] || echo "$name" >>"$kit/profiled.txt"
  [ -z "$made" ] || [ "$profiled" != count ] ||
    "$heddle" bench "$@" ${strategy:+--strategy "$strategy"} --device cuda-interpreted --profile --markdown \
      >"$kit/data/$name.counts.md" 2>>"$log"
  [ -z "$made" ] || printf '%s\t%s\t%s\t%s\n' "$name" "$comparison" "$weights" "$bounds" >>"$kit/cases.tsv"
done
rm -rf "$kit/minilm"
size=$(du -sb "$kit" | cut -f1)
echo "make.sh: $kit: $(wc -l <"$kit/cases.tsv") cases, $((size >> 20)) MiB"
[ -s "$kit/cases.tsv" ] && [ "$size" -le "$most" ] || { echo "make.sh: no cases, or more than $((most >> 20)) MiB" >&2; exit 1; }
