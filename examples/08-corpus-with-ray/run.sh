#!/usr/bin/env bash
# run.sh MODEL_DIR [BUILD_DIR]: compiles the sentence encoder in MODEL_DIR, and embeds each line of Heddle's
# documentation. HEDDLE is the path of Heddle's compiler, HEDDLE_RAY_PYTHON the path of a Python with heddle-runtime,
# tokenizers and ray[data]. RAY_ADDRESS is the address of a cluster; without it Ray starts a cluster on this machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
build=${2:-$(mktemp -d)}
python=${HEDDLE_RAY_PYTHON:-python3}
if [ ! -f "$model/model.safetensors" ]; then
  echo "run.sh: '$model' is not the folder of a model: it has no model.safetensors" >&2
  exit 77 # the test counts as skipped
fi
if ! "$python" -c 'import heddle, pyarrow, ray.data, tokenizers' 2>/dev/null; then
  echo "run.sh: $python lacks heddle-runtime, tokenizers or ray[data]; set HEDDLE_RAY_PYTHON to one that has them" >&2
  exit 77
fi
mkdir -p "$build"
"$here/pack.sh" "$model" "$build/package"
"$python" "$here/corpus.py" "$build/corpus.parquet" "$here"/../../*.md "$here"/../../*/*.md
rm -rf "$build/embeddings"
"$python" "$here/embed.py" "$build/package" "$build/corpus.parquet" "$build/embeddings"
