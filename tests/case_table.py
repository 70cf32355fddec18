"""The framework of tests that compare heddle's verdict on each case of an archive with a table that is checked in.

Their command line: HEDDLE WORK_DIR [--part I/N | --write]. --part runs only every N-th case, from the I-th on; --write
writes the table.
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import tarfile


def check(here, names, judge):
    """Compares the verdict on each case of here/cases.tar.xz with here/table.tsv, which has a line for each: its name,
    a tab and its verdict.

    names: selects the cases among the archive's files. judge: maps the paths of HEDDLE and of a case to the verdict.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))

    arguments.work.mkdir(parents=True, exist_ok=True)
    with tarfile.open(here / "cases.tar.xz") as archive:
        cases = sorted(names(archive.getnames()))
        chosen = cases[part::parts]
        folders = {name.split("/")[0] for name in chosen}
        archive.extractall(arguments.work, [file for file in archive if file.name.split("/")[0] in folders])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if arguments.write else 1) as executor:
        verdicts = executor.map(lambda name: judge(arguments.heddle, arguments.work / name), chosen)
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
    print(f"{len(chosen)} cases, {len(changed)} not as in the table")
    sys.exit(bool(changed))
