#!/bin/sh
# Verifies random models that compute with sizes, on all processors for MINUTES minutes (10 by default). Prints SEED,
# the seed of the first model (by default the time).
# usage: tests/sizes/sizes.sh BUILD [MINUTES [SEED [ARGUMENT..]]]
# BUILD is the build folder; each ARGUMENT is passed to sizes.py. This example tests on a device, and only models that
# compute a table (a vector or matrix) from sizes: sizes.sh build 60 7 --ways table --device vulkan
# The models of failing cases are stored in BUILD/sizes. The exit status is 1 if a case fails.
set -eu
build=${1:?usage: tests/sizes/sizes.sh BUILD [MINUTES [SEED [ARGUMENT..]]]}
minutes=${2:-10} seed=${3:-$(date +%s)}
[ $# -lt 3 ] && shift $# || shift 3
mkdir -p "$build/sizes"
echo "sizes.sh: $minutes minutes from seed $seed, files of failing cases are written to $build/sizes"
exec /usr/bin/python3 "$(dirname "$0")/sizes.py" --heddle "$build/bin/heddle" --seed "$seed" --cases 100000000 \
  --seconds $((minutes * 60)) --keep "$build/sizes" --show-refusals "$@"
