#!/bin/sh
# torch.sh TEST: runs a test by the Python that HEDDLE_TORCH_PYTHON names, which has torch. Status 77, skipped, where it names
# none.
# torch.sh --make PYTHON VENV: makes a virtual environment that has what the tests need, from PyPI, some hundred megabytes.
set -eu
if [ "$1" = --make ]; then
  "$2" -m venv "$3"
  "$3/bin/pip" install -q --disable-pip-version-check numpy torch onnx onnxscript nbconvert ipykernel
  echo "HEDDLE_TORCH_PYTHON=$3/bin/python"
  exit
fi
if [ -z "${HEDDLE_TORCH_PYTHON:-}" ]; then
  echo 'HEDDLE_TORCH_PYTHON names no Python with torch; tests/python/torch.sh --make PYTHON VENV makes one'
  exit 77
fi
exec "$HEDDLE_TORCH_PYTHON" "$@"
