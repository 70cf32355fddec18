#!/bin/bash
# Verifies N random models in low precision (100 by default) for CPUs whose code can run on this machine:
#
#     tests/precision.sh [N [BUILD [OPTION...]]]
#
# BUILD is the build folder (build/ by default). tests/precision/everywhere.py makes the models and describes the checks
# and its options. The environment variable SEED is the seed of the first model (1000000 by default). With ARM=1, code
# for CPUs of 64-bit Arm also runs, in an emulator. Failures are printed with their seeds, and their files remain in
# BUILD/precision.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
count=${1:-100} build=${2:-$source/build} runner=()
shift $(($# < 2 ? $# : 2))
if [ -n "${ARM:-}" ]; then
  runner=(--runner "qemu-aarch64 -L /usr/aarch64-linux-gnu \"$build/tests/bin/heddle-runner-aarch64\"")
fi
exec python3 -B "$source/tests/precision/everywhere.py" "$build/bin/heddle" "$build/precision" "${SEED:-1000000}" \
  "$count" "${runner[@]}" "$@"
