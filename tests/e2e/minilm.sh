#!/bin/sh
# minilm.sh HEDDLE DIR [OPTION...]: verifies all-MiniLM-L6-v2, if tests/run.sh could fetch it, with one sentence and a
# batch, and checks that its layers are recognised. Options select another machine, for one sentence.
set -eu
heddle=$1 model=$2
[ -f "$model/model.safetensors" ] || { echo "skipped: no $model (PyPI did not answer)"; exit 77; }
shift 2
"$heddle" verify "$model" --dim batch_size=1 --dim sequence_length=16 -t 1 "$@"
[ $# = 0 ] || exit 0
"$heddle" verify "$model" --dim batch_size=1 --dim sequence_length=128 -t 2
"$heddle" verify "$model" --dim batch_size=6 --dim sequence_length=13 -t 2

# The layers of the model, as heddle import counts them.
report=$("$heddle" import "$model" --dim batch_size=1 --dim sequence_length=16 2>&1 >/dev/null)
for count in '13 layer_norm' '6 attention' '6 ffn'; do
  case "$report" in
    *"$count"*) ;;
    *) echo "expected $count, found: $report" >&2; exit 1 ;;
  esac
done
