#!/bin/sh
# run.sh PYTHON VENV TEST: runs a test of the Python packages in the virtual environment VENV, which is made with numpy
# and tokenizers if it does not exist. If PyPI does not answer, the test runs with PYTHON. Exits with status 77 if the
# whole test is skipped.
set -eu
python=$1 venv=$2 test=$3
mkdir -p "$venv"
(
  flock 9 # Several tests may start at once; only one of them makes the environment.
  if [ ! -e "$venv/made" ] && [ ! -e "$venv/no-pypi" ]; then
    if "$python" -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check --timeout 20 --retries 1 \
      numpy tokenizers >&2; then
      touch "$venv/made"
    else
      touch "$venv/no-pypi" # Later tests in this build folder do not try again.
    fi
  fi
) 9>"$venv/lock"
if [ -e "$venv/made" ]; then
  python=$venv/bin/python
elif ! "$python" -c 'import numpy' 2>/dev/null; then
  echo "skipped: PyPI does not answer, and $python has no numpy"
  exit 77
fi
exec "$python" "$test"
