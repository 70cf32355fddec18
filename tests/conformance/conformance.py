"""conformance.py HEDDLE WORK_DIR [--part I/N | --write]: runs `heddle verify` on ONNX's test cases and compares the
results with table.tsv. tests/case_table.py describes the arguments.

Each line of the table contains the name of a case, the verdict "ok", "refused" or "wrong", and the reason, separated by
tabs.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import case_table


def verdict_of(heddle, case):
    """Returns the verdict on the folder `case` and the reason, separated by a tab."""
    done = subprocess.run([heddle, "verify", "--threads", "1", case], capture_output=True, text=True)
    if done.returncode == 0:
        return "ok\t"
    wrong = [line for line in done.stdout.splitlines() if line.endswith("FAIL")]
    if wrong or done.returncode not in (1, 2):
        return "wrong\t" + "; ".join(wrong or [f"exit status {done.returncode}"])
    reason = re.sub(r"^\S*/(model\.onnx|test_data_set_0)(:\d+:\d+)?: error: ", "", done.stderr)
    return "refused\t" + " ".join(reason.replace(str(case), case.name).split())


case_table.check(pathlib.Path(__file__).parent, lambda names: {name.split("/")[0] for name in names}, verdict_of)
