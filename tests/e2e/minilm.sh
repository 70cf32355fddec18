#!/bin/sh
# minilm.sh HEDDLE DIR [OPTION...]: verifies all-MiniLM-L6-v2 in the folder DIR for one sentence and for a batch, and
# checks that the layers of the model are recognised. Exits with status 77 (skipped) if tests/run.sh could not fetch the
# model. OPTIONs, such as --runner, are passed to `heddle verify`; the model is then verified for one sentence only.
set -eu
heddle=$1 model=$2
[ -f "$model/model.safetensors" ] || { echo "skipped: no $model (PyPI did not answer)"; exit 77; }
shift 2
"$heddle" verify "$model" --dim batch_size=1 --dim sequence_length=16 -t 1 "$@"
[ $# = 0 ] || exit 0
"$heddle" verify "$model" --dim batch_size=1 --dim sequence_length=128 -t 2
"$heddle" verify "$model" --dim batch_size=6 --dim sequence_length=13 -t 2

# Checks how many layers of each kind `heddle import` recognises.
report=$("$heddle" import "$model" --dim batch_size=1 --dim sequence_length=16 2>&1 >/dev/null)
for count in '13 layer_norm' '6 attention' '6 ffn'; do
  case "$report" in
    *"$count"*) ;;
    *) echo "expected $count, found: $report" >&2; exit 1 ;;
  esac
done
