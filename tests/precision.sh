#!/bin/bash
# Verifies models in fewer bits at all sizes and for all CPUs that this machine can run, N random ones (100 by default):
#
#     tests/precision.sh [N [BUILD [ARGUMENTS of everywhere.py]]]
#
# tests/precision/everywhere.py says which. SEED=M: the seed of the first (1000000). ARM=1: also CPUs of 64-bit Arm, in
# an emulator. Failures are printed with their seed, and their files remain in BUILD/precision.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
count=${1:-100} build=${2:-$source/build} runner=()
shift $(($# < 2 ? $# : 2))
if [ -n "${ARM:-}" ]; then
  runner=(--runner "qemu-aarch64 -L /usr/aarch64-linux-gnu \"$build/tests/bin/heddle-runner-aarch64\"")
fi
exec python3 -B "$source/tests/precision/everywhere.py" "$build/bin/heddle" "$build/precision" "${SEED:-1000000}" \
  "$count" "${runner[@]}" "$@"
