#!/bin/sh
# with_ray.sh COMMAND...: runs a command that needs ray[data], which has some 800 MB and which no test installs. Exits
# with status 77, skipped, unless HEDDLE_RAY_PYTHON names a Python that has it; ray.sh makes one.
set -eu
if [ -z "${HEDDLE_RAY_PYTHON:-}" ]; then
  echo 'HEDDLE_RAY_PYTHON names no Python with ray[data]; tests/python/ray.sh makes one and runs this test'
  exit 77
fi
case $1 in
*.py) exec "$HEDDLE_RAY_PYTHON" "$@" ;;
*) exec "$@" ;;
esac
