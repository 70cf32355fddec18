#!/bin/sh
# torch.sh TEST: runs a test with the Python that the environment variable HEDDLE_TORCH_PYTHON names, which must have
# torch. Exits with status 77, with which ctest reports the test as skipped, if the variable is not set.
#
# torch.sh --make PYTHON VENV [OPTION...]: makes a virtual environment of PYTHON in the folder VENV, with the packages
# that these tests need, and prints the value of HEDDLE_TORCH_PYTHON. torch from PyPI includes the libraries of CUDA, 6
# GB in all. The options are passed to pip; they can name an index with torch packages for CPUs only.
set -eu
if [ "$1" = --make ]; then
  python=$2 venv=$3
  shift 3
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check "$@" numpy 'torch==2.15.*' onnx onnxscript nbconvert ipykernel
  echo "HEDDLE_TORCH_PYTHON=$venv/bin/python"
  exit
fi
if [ -z "${HEDDLE_TORCH_PYTHON:-}" ]; then
  echo 'skipped: HEDDLE_TORCH_PYTHON is not the path of a Python with torch; tests/python/torch.sh --make PYTHON VENV makes one'
  exit 77
fi
exec "$HEDDLE_TORCH_PYTHON" "$@"
