#!/bin/sh
# Verifies random cases on all processors for MINUTES minutes (10 by default). Prints SEED (by default the time), which
# determines the seeds of all processes: process number 1, 2, .. has the seeds from SEED + number * 1000000 on.
# usage: tests/random/random.sh BUILD [MINUTES [SEED [ARGUMENT..]]]
# BUILD is the build folder; each ARGUMENT is passed to random-cases.
# This example tests only attention, on a device: random.sh build 60 7 --kind attention --device vulkan
# Reduced modules that fail are stored in BUILD/random, with the output of each process. The exit status is 1 if a case
# fails, or if more cases end with expected errors than with right results.
set -eu
build=${1:?usage: tests/random/random.sh BUILD [MINUTES [SEED [ARGUMENT..]]]}
minutes=${2:-10} seed=${3:-$(date +%s)}
[ $# -lt 3 ] && shift $# || shift 3
mkdir -p "$build/random"
echo "random.sh: $minutes minutes from seed $seed, files of failing cases are written to $build/random"
processes=
for number in $(seq "$(nproc)"); do
  # Each process has its own range of a million seeds, so that no case is verified twice.
  "$build/tests/bin/random-cases" --heddle "$build/bin/heddle" --seed $((seed + number * 1000000)) --cases 1000000 \
    --seconds $((minutes * 60)) --keep "$build/random" "$@" > "$build/random/$number.txt" 2>&1 &
  processes="$processes $!"
done
status=0
for process in $processes; do
  wait "$process" || status=1
done
# Prints failures, the commands that reproduce them, and the numbers of outcomes.
grep -hE '^seed |^  .* verify |^[a-z_-]+: [0-9]|^refused ' "$build"/random/[0-9]*.txt
exit $status
