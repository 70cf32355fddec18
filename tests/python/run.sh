#!/bin/sh
# run.sh PYTHON VENV TEST: runs a test of the Python packages in the virtual environment VENV, which is made if it does
# not exist or contains other packages than those below. If PyPI does not answer, the test runs with PYTHON. Exits with
# status 77 if the whole test is skipped.
set -eu
python=$1 venv=$2 test=$3 packages='numpy tokenizers jinja2 llguidance'
mkdir -p "$venv"
has_packages() { [ "$(cat "$venv/made" 2>/dev/null)" = "$packages" ]; }
(
  flock 9 # Several tests may start at once; only one of them makes the environment.
  if ! has_packages && [ ! -e "$venv/no-pypi" ]; then
    # shellcheck disable=SC2086
    if "$python" -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check --timeout 20 --retries 1 \
      $packages >&2; then
      echo "$packages" > "$venv/made"
    else
      touch "$venv/no-pypi" # Later tests in this build folder do not try again.
    fi
  fi
) 9>"$venv/lock"
if has_packages; then
  python=$venv/bin/python
elif ! "$python" -c 'import numpy' 2>/dev/null; then
  echo "skipped: PyPI does not answer, and $python has no numpy"
  exit 77
fi
exec "$python" "$test"
