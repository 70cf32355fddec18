#!/bin/bash
# Judges models in fewer bits at all sizes and on all CPUs that this machine stands for, N random ones (100 by default):
#
#     tests/precision.sh [N [BUILD [ARGUMENTS of everywhere.py]]]
#
# tests/precision/everywhere.py says what of. SEED=M: the seed of the first (1000000). ARM=1: CPUs of 64-bit Arm as
# well, in an emulator. What fails is printed with its seed, and its files stay in BUILD/precision.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
count=${1:-100} build=${2:-$source/build} runner=()
shift $(($# < 2 ? $# : 2))
if [ -n "${ARM:-}" ]; then
  runner=(--runner "qemu-aarch64 -L /usr/aarch64-linux-gnu \"$build/tests/bin/heddle-runner-aarch64\"")
fi
exec python3 -B "$source/tests/precision/everywhere.py" "$build/bin/heddle" "$build/precision" "${SEED:-1000000}" \
  "$count" "${runner[@]}" "$@"
