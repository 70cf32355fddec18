#!/bin/sh
# Judges random models that compute with sizes, on all processors for so many minutes, from a seed that is printed.
# usage: tests/sizes/sizes.sh BUILD [MINUTES [SEED [WORD of sizes.py..]]]
# For instance tables alone on the device: sizes.sh build 60 7 --ways table --device vulkan
# Models that fail lie in BUILD/sizes, beside what was printed; the status is 1 if there are any.
set -eu
build=${1:?usage: sizes.sh BUILD [MINUTES [SEED [WORD..]]]}
minutes=${2:-10} seed=${3:-$(date +%s)}
[ $# -lt 3 ] && shift $# || shift 3
mkdir -p "$build/sizes"
echo "sizes.sh: $minutes minutes from seed $seed, failures go to $build/sizes"
exec /usr/bin/python3 "$(dirname "$0")/sizes.py" --heddle "$build/bin/heddle" --seed "$seed" --cases 100000000 \
  --seconds $((minutes * 60)) --keep "$build/sizes" --show-refusals "$@"
