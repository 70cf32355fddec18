#!/bin/sh
# ray.sh [BUILD]: runs the tests that need a Ray cluster, in a virtual environment that this script makes in the build
# folder BUILD (by default build/). Exits with status 77, with which ctest reports the test as skipped, if PyPI does not
# answer.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}
venv=$build/python/ray-venv
if [ ! -e "$venv/made" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --timeout 20 --retries 1 'ray[data]>=2.60' tokenizers numpy >&2 || {
    echo 'skipped: PyPI does not answer'
    exit 77
  }
  touch "$venv/made"
fi
HEDDLE_RAY_PYTHON=$venv/bin/python ctest --test-dir "$build" -R '^python[.]ray|^example[.]08' --no-tests=error \
  --output-on-failure
