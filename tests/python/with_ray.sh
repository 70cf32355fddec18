#!/bin/sh
# with_ray.sh COMMAND...: runs a command that needs the Python package ray[data]. No test installs this package, because
# it has some 800 MB. Exits with status 77, with which ctest reports the test as skipped, unless HEDDLE_RAY_PYTHON names
# a Python that has this package; ray.sh makes one. This Python runs the command if it is a .py file.
set -eu
if [ -z "${HEDDLE_RAY_PYTHON:-}" ]; then
  echo 'skipped: HEDDLE_RAY_PYTHON is not the path of a Python with ray[data]; tests/python/ray.sh makes one'
  exit 77
fi
case $1 in
*.py) exec "$HEDDLE_RAY_PYTHON" "$@" ;;
*) exec "$@" ;;
esac
