#!/usr/bin/env bash
# pack.sh MODEL_DIR PACKAGE: creates the folder PACKAGE, which workers need. It contains the files of the tokenizer, and
# a library for any x86-64 machine with AVX2, including the weights, which is compiled from the sentence encoder in
# MODEL_DIR (config.json, model.safetensors, tokenizer.json, modules.json). HEDDLE is the path of Heddle's compiler, and
# HEDDLE_LONGEST the maximum number of tokens of a text (default: 256).
set -euo pipefail
model=$1 package=$2
mkdir -p "$package"
package=$(cd "$package" && pwd)
"${HEDDLE:-heddle}" compile "$model" -o "$package/encoder.so" --only sentence_embedding --mcpu x86-64-v3,x86-64-v4 \
  --dim batch_size=1..256 --dim "sequence_length=1..${HEDDLE_LONGEST:-256}"
rm -f "$package/encoder.h" # only programs in C need the header
(cd "$model" && find . -name '*.json' -exec cp --parents {} "$package" \;)
