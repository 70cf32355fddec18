"""exporters.py HEDDLE WORK_DIR [--part I/N | --write]: imports and verifies each model of cases.tar.xz, which
make_cases.py wrote, and compares the outcome with table.tsv.

Each line of the table contains the path of a model and the layers that `heddle import` reports for the model, or its
error. HEDDLE is the program heddle, and WORK_DIR a folder for the unpacked models. `heddle verify` must reproduce the
results that are stored next to the model. --part tests only every N-th model, beginning with model I (from 0), and
--write writes the table.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import case_table


def outcome_of(heddle, path):
    """Imports and verifies one model, and returns the outcome as a line of text. The file `sizes` in the folder of the
    model, if there is one, contains the sizes of dynamic dimensions, as NAME=SIZE."""
    def run(*words):
        return subprocess.run([heddle, *map(str, words)], capture_output=True, text=True)

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


case_table.check(pathlib.Path(__file__).parent, lambda names: [name for name in names if name.endswith(".onnx")],
                 outcome_of)
