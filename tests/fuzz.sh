#!/bin/sh
# tests/fuzz.sh [SECONDS [READER...]]: builds fuzz targets with AddressSanitizer and UndefinedBehaviorSanitizer and runs
# each of them for SECONDS (60 by default). A READER, such as onnx, names the target that tests this reader of files; by
# default, the targets of all readers are built and run. The environment variable JOBS is the number of targets that run
# in parallel (by default the number of processors). See tests/fuzz/README.md.
set -eu
cd "$(dirname "$0")/.."
.ci/setup
.ci/setup tests
seconds=${1:-60} build=build-fuzz jobs=${JOBS:-$(nproc)}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^heddle_fuzzer(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
cmake --preset fuzz >/dev/null
cmake --build "$build" -j "$jobs" --target $(printf '%s_fuzzer ' "$@")
# MLIR's libraries are not instrumented, so poisoning by LLVM's allocators would cause false reports.
export ASAN_OPTIONS=allow_user_poisoning=0
printf '%s\n' "$@" | xargs -P "$jobs" -I READER python3 tests/fuzz/fuzz.py "$build" READER --seconds "$seconds"
