"""exporters.py HEDDLE WORK_DIR [--part I/N | --write]: is each file of cases.tar.xz (make_cases.py) read as table.tsv says?

A line of the table: the file, and what `heddle import` says was recognised in it; `heddle verify` must find the results
that lie beside it. --part judges every N-th file only, from the I-th on; --write writes the table.
"""
import argparse
import pathlib
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).parent


def run(*words):
    return subprocess.run([arguments.heddle, *map(str, words)], capture_output=True, text=True)


def judge(path):
    folder = path.parent
    sizes = folder / "sizes"
    dims = [word for size in sizes.read_text().split() for word in ("--dim", size)] if sizes.exists() else []
    imported = run("import", path, *dims, "-o", folder / f"{path.stem}.mlir")
    if imported.returncode:
        return "refused: " + " ".join(imported.stderr.replace(str(path), "").split())
    verified = run("verify", "--threads", 1, path, *dims, "--input", folder / "inputs.safetensors", "--expected",
                   folder / "expected.safetensors")
    if verified.returncode:
        return "wrong: " + " ".join(verified.stdout.split()) + verified.stderr
    return "; ".join(imported.stderr.splitlines())


parser = argparse.ArgumentParser()
parser.add_argument("heddle")
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--part", default="0/1")
parser.add_argument("--write", action="store_true")
arguments = parser.parse_args()
part, parts = map(int, arguments.part.split("/"))

arguments.work.mkdir(parents=True, exist_ok=True)
with tarfile.open(HERE / "cases.tar.xz") as archive:
    files = sorted(name for name in archive.getnames() if name.endswith(".onnx"))
    chosen = files[part::parts]
    folders = {name.split("/")[0] for name in chosen}
    archive.extractall(arguments.work, [entry for entry in archive if entry.name.split("/")[0] in folders])
found = {name: judge(arguments.work / name) for name in chosen}

table = HERE / "table.tsv"
if arguments.write:
    table.write_text("".join(f"{name}\t{text}\n" for name, text in found.items()))
    sys.exit()
expected = dict(line.split("\t") for line in table.read_text().splitlines())
if sorted(expected) != files:
    sys.exit("the table and cases.tar.xz have different files")
changed = [name for name in chosen if found[name] != expected[name]]
for name in changed:
    print(f"{name}\n  expected: {expected[name]}\n  found:    {found[name]}")
print(f"{len(chosen)} files, {len(changed)} not as in the table")
sys.exit(bool(changed))
