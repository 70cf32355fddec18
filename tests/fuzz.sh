#!/bin/sh
# Builds the fuzz targets with AddressSanitizer and UndefinedBehaviorSanitizer and runs each for SECONDS, as many in
# parallel as there are processors: tests/fuzz.sh [SECONDS [READER...]] (60; all). See tests/fuzz/README.md.
set -eu
cd "$(dirname "$0")/.."
.ci/setup
.ci/setup tests
seconds=${1:-60} build=build-fuzz jobs=${JOBS:-$(nproc)}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^heddle_fuzzer(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
cmake --preset fuzz >/dev/null
cmake --build "$build" -j "$jobs" --target $(printf '%s_fuzzer ' "$@")
# MLIR's own allocations are not instrumented: the poisoning of its allocator would cause false reports.
export ASAN_OPTIONS=allow_user_poisoning=0
printf '%s\n' "$@" | xargs -P "$jobs" -I READER python3 tests/fuzz/fuzz.py "$build" READER --seconds "$seconds"
