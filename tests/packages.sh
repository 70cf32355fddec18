#!/usr/bin/env bash
# packages.sh [SUITE...]: makes packages and wheels from the build folder BUILD_DIR (build/) of tests/run.sh. Tests them
# in new Debian systems (tests/packages/roots.sh, whose comment lists its requirements) and with a Ray cluster
# (tests/python/ray.sh). Each SUITE is a Debian release; by default, these are bookworm and trixie. Writes the results to
# tests/packages/results.md. The tests `packages`, `install` and `python.wheels` of tests/run.sh test the parts that need
# no other system.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${BUILD_DIR:-build}" && pwd) packages=$build/packages
sizes=$(tests/packages/make.sh "$build" "$packages" | grep ' bytes$')
HEDDLE_PROGRAM=$build/bin/heddle python/wheels.sh "$packages" > /dev/null
examples/fetch-minilm.sh "$build/minilm"

status=0
[ $# -gt 0 ] || set -- bookworm trixie
running=()
for suite in "$@"; do # The systems are made in parallel, because they mostly wait for the network.
  tests/packages/roots.sh "$packages" "$build/minilm/model" "$suite" > "$packages/$suite.table" &
  running+=($!)
done
for process in "${running[@]}"; do
  wait "$process" || status=1
done
ray=$(tests/python/ray.sh "$build") || status=1
log=$build/Testing/Temporary/LastTest.log
{
  # The new results.md consists of the old introduction with today's date, the tables that roots.sh printed, the sizes
  # of the packages, and the results of the tests with Ray.
  sed '/^## Sizes/,$d' tests/packages/results.md | sed -E "s/^On [0-9-]+,/On $(date +%F),/;/^\|/,\$d"
  head -n 2 "$packages/$1.table"
  for suite in "$@"; do tail -n +3 "$packages/$suite.table"; done
  echo
  echo '## Sizes'
  echo
  { echo "$sizes"; (cd "$packages" && stat -c '%n: %s bytes' ./*.whl | sed 's,^\./,,'); } | sed 's/^/- /'
  echo
  echo '## With a Ray cluster'
  echo
  echo '| test | result | seconds |'
  echo '|---|---|---|'
  sed -nE 's,.* Test +#[0-9]+: ([^ ]+) [. *]+(Passed|Failed|Skipped|[A-Za-z ]*[A-Za-z]) +([0-9.]+) sec.*,| \1 | \2 | \3 |,p' <<< "$ray"
  echo
  grep -h '^texts a second' "$log" || :
} > "$packages/results.md"
mv "$packages/results.md" tests/packages/results.md
cat tests/packages/results.md
exit "$status"
