"""The framework of tests that run heddle on each case of an archive and compare the verdicts with a table.

The command line of such a test: HEDDLE WORK_DIR [--part I/N | --write]. HEDDLE is the program heddle, and WORK_DIR is a
folder for the unpacked cases. --part runs only every N-th case, beginning with case I (the first case is 0); --write
runs all cases and writes the table anew.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tarfile


def part(text):
    """Returns the numbers I and N of `text`, which is I/N with 0 <= I < N. argparse calls this function for --part."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or int(match[1]) >= int(match[2]):
        raise argparse.ArgumentTypeError(f"expected I/N with I less than N, found {text}")
    return int(match[1]), int(match[2])


def check(here, names, verdict_of):
    """Runs the cases of here/cases.tar.xz and compares their verdicts with here/table.tsv. Each line of this table is
    the name of a case, a tab and its verdict. The exit status of the process is 1 if a verdict differs.

    names: a function that maps the file names of the archive to the names of the cases. verdict_of: a function that
    maps the path of HEDDLE and the path of an unpacked case to the verdict, one line of text.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle", help="the program heddle")
    parser.add_argument("work", type=pathlib.Path, help="folder for the unpacked cases")
    amount = parser.add_mutually_exclusive_group() # a table of some cases would be incomplete
    amount.add_argument("--part", type=part, default="0/1", help="I/N: only every N-th case, beginning with case I")
    amount.add_argument("--write", action="store_true", help="run all cases and write the table anew")
    arguments = parser.parse_args()
    first, step = arguments.part

    arguments.work.mkdir(parents=True, exist_ok=True)
    with tarfile.open(here / "cases.tar.xz") as archive:
        cases = sorted(names(archive.getnames()))
        chosen = cases[first::step]
        folders = {name.split("/")[0] for name in chosen}
        archive.extractall(arguments.work, [file for file in archive if file.name.split("/")[0] in folders])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if arguments.write else 1) as executor:
        verdicts = executor.map(lambda name: verdict_of(arguments.heddle, arguments.work / name), chosen)
        found = dict(zip(chosen, verdicts))

    table = here / "table.tsv"
    if arguments.write:
        table.write_text("".join(f"{name}\t{verdict}\n" for name, verdict in found.items()))
        sys.exit()
    expected = dict(line.split("\t", 1) for line in table.read_text().splitlines())
    if sorted(expected) != cases:
        sys.exit("the table and cases.tar.xz have different cases")
    changed = [name for name in chosen if found[name] != expected[name]]
    for name in changed:
        print(f"{name}\n  expected: {expected[name]}\n  found:    {found[name]}")
    print(f"{len(chosen)} cases, {len(changed)} of them differ from the table")
    sys.exit(bool(changed))
