"""conformance.py HEDDLE WORK_DIR [--part I/N | --write]: does `heddle verify` say of ONNX's own cases what table.tsv says?

--part judges every N-th case only, from the I-th on; --write writes the table.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).parent


def judge(case):
    """A line of the table: the case, the verdict, and why."""
    done = subprocess.run([arguments.heddle, "verify", "--threads", "1", case], capture_output=True, text=True)
    if done.returncode == 0:
        return f"{case.name}\tok\t"
    wrong = [line for line in done.stdout.splitlines() if line.endswith("FAIL")]
    if wrong or done.returncode not in (1, 2):
        return f"{case.name}\twrong\t" + "; ".join(wrong or [f"exit status {done.returncode}"])
    reason = re.sub(r"^\S*/(model\.onnx|test_data_set_0)(:\d+:\d+)?: error: ", "", done.stderr)
    return f"{case.name}\trefused\t" + " ".join(reason.replace(str(case), case.name).split())


parser = argparse.ArgumentParser()
parser.add_argument("heddle")
parser.add_argument("work", type=pathlib.Path)
parser.add_argument("--part", default="0/1")
parser.add_argument("--write", action="store_true")
arguments = parser.parse_args()
part, parts = map(int, arguments.part.split("/"))

arguments.work.mkdir(parents=True, exist_ok=True)
with tarfile.open(HERE / "cases.tar.xz") as archive:
    chosen = sorted({name.split("/")[0] for name in archive.getnames()})[part::parts]
    archive.extractall(arguments.work, [file for file in archive if file.name.split("/")[0] in set(chosen)])
with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if arguments.write else 1) as executor:
    found = list(executor.map(judge, [arguments.work / case for case in chosen]))

table = HERE / "table.tsv"
if arguments.write:
    table.write_text("\n".join(found) + "\n")
    sys.exit()
expected = table.read_text().splitlines()
if not {line.split("\t")[0] for line in expected}.issuperset(chosen):
    sys.exit("the table lacks cases")
changed = [line for line in expected if line.split("\t")[0] in set(chosen) and line not in set(found)]
for line in changed:
    now = next(other for other in found if other.split("\t")[0] == line.split("\t")[0])
    print(f"expected: {line}\nfound:    {now}")
print(f"{len(chosen)} cases, {sum(line.split(chr(9))[1] == 'ok' for line in found)} ok, {len(changed)} not as in the table")
sys.exit(bool(changed))
