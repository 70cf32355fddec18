#!/bin/bash
# Runs suites of random tests with many more cases than tests/run.sh. The suites run one after another, in a build
# folder that tests/run.sh made; only the suite `fuzz` builds its own programs. Prints a table in Markdown with the
# result and the minutes of each suite.
#
#     tests/long.sh [SUITE...] >> tests/long.md      # all suites by default
#
# Variables of the environment, with their defaults in parentheses: BUILD_DIR is the build folder (build/). MINUTES is
# the duration of the suites `models` and `sizes`, and of each fuzz target in the suite `fuzz` (10). SEED is the seed of
# the first case in the suites that have a seed (today's date as a number, such as 20260131). The output of a suite goes
# to BUILD_DIR/long/SUITE.txt. The exit status is 1 if a suite fails.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${BUILD_DIR:-build} minutes=${MINUTES:-10} seed=${SEED:-$(date +%Y%m%d)} jobs=$(nproc)
heddle=$build/bin/heddle numpy=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1 CC=${CC:-/usr/lib/llvm-22/bin/clang}

# program TIMES NAME FILTER: runs the tests of the GoogleTest program NAME that match FILTER, with TIMES times as many
# cases as in tests/run.sh.
program() {
  local shard processes=() failed=0
  for ((shard = 0; shard < jobs; ++shard)); do
    HEDDLE_TEST_TIMES=$1 GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$shard "$build/tests/bin/$2" --gtest_filter="$3" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || failed=1
  done
  echo "$1 times as many cases of $3 as in tests/run.sh"
  return $failed
}

# Each of the following functions runs the suite that has the name of the function.
attention() { program 10 e2e_test 'Random/Attention*'; }
graphs() { program 10 e2e_test 'Seeds/RandomGraphs*'; }
aarch64() { program 10 aarch64_test 'Random/*'; }
cuda() {
  program 5 cuda_code_test 'Random/*' && "$numpy" tests/targets/cuda/layers.py "$heddle" "$seed" 1000 &&
    "$numpy" tests/targets/cuda/attention.py "$heddle" "$seed" 400
}
vulkan() { program 6 vulkan_code_test 'Random/*'; }
models() { tests/random/random.sh "$build" "$minutes" "$seed"; }
sizes() { tests/sizes/sizes.sh "$build" "$minutes" "$seed"; }
quantised() {
  "$numpy" tests/quantised/sizes.py "$heddle" graphs "$seed" 4000 &&
    "$numpy" tests/quantised/sizes.py "$heddle" encoders "$seed" 400 &&
    "$numpy" tests/quantised/hostile.py "$heddle" graphs "$seed" 1500 &&
    "$numpy" tests/quantised/hostile.py "$heddle" directories "$seed" 1500
}
precision() { SEED=$seed tests/precision.sh 200 "$build"; }
precision_attention() {
  python3 -B tests/precision/attention.py "$heddle" "$build/long/precision-attention" "$seed" 1000
}
dequantize() { python3 tests/e2e/dequantize_models.py "$heddle" "$build/long/dequantize" "$seed" 1000; }
decoders() { SEED=$seed tests/decoders.sh 2000 "$heddle"; }
# Runs every decoder with states in f16, in bf16 and in int8.
states() {
  for precision in f16 bf16 int8; do
    SEED=$seed tests/decoders.sh 120 "$heddle" --state-precision "$precision" || return 1
  done
}
fuzz() { tests/fuzz.sh $((minutes * 60)); }

suites=(attention graphs aarch64 cuda vulkan models sizes quantised precision precision_attention dequantize decoders
        states fuzz)
[ $# -gt 0 ] || set -- "${suites[@]}"
for suite; do
  if [[ " ${suites[*]} " != *" $suite "* ]]; then
    echo "long.sh: there is no suite '$suite'; there are: ${suites[*]}" >&2
    exit 1
  fi
done
mkdir -p "$build/long"
status=0
printf '\n## %s, commit %s, seed %s, %s processors\n\n| suite | result | minutes |\n|---|---|---|\n' \
  "$(date +%F)" "$(git rev-parse --short HEAD)" "$seed" "$jobs"
for suite; do
  began=$SECONDS
  "$suite" > "$build/long/$suite.txt" 2>&1 && said='' || { said='**failed**: ' status=1; }
  # Finds the last line of the output that contains a number of cases or the summary of the suite.
  line=$(grep -E '[0-9]+ (times as many )?(cases|scripts|attentions)|are right|^all: |DONE' "$build/long/$suite.txt" |
    tail -n 1)
  printf '| %s | %s%s | %d |\n' "$suite" "$said" "${line:-$(tail -n 1 "$build/long/$suite.txt")}" \
    $(((SECONDS - began + 59) / 60))
done
exit $status
