"""Prints how long the tests of each folder took, beside the budget in tests/README.md.

    folder_times.py README LOG...

README is tests/README.md. LOG is a file that ctest wrote with -O. FOLDER=LOG counts the time of all tests of the log
for FOLDER, whatever the names of the tests are.

Prints the ten slowest tests, and the time and the budget of each folder. Warns of folders that exceed their budgets,
and of tests that belong to no folder. Because machines differ in speed, all budgets are multiplied by the same factor
if the run took longer than all budgets together. The exit status is 0 even with warnings. It is 1 if a file cannot be
read, or if FOLDER is not in the table of README.
"""
import collections
import re
import sys

RESULT = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) .*?([\d.]+) sec", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \|(.*)\|$", re.MULTILINE)
# A folder causes a warning if its tests take more than TOLERANCE times its scaled budget and exceed this budget by more
# than LEAST seconds.
TOLERANCE = 1.25
LEAST = 5


def read_budget(text):
    """Returns a dict that maps each folder to its budget in seconds and the prefixes of the names of its tests. `text`
    is the text of tests/README.md."""
    return {folder: (int(seconds), re.findall(r"`([^`]+)`", names)) for folder, seconds, names in ROW.findall(text)}


def read_times(text):
    """Returns a list of (test, seconds), one for each line of ctest's output that reports a result."""
    return [(test, float(seconds)) for test, seconds in RESULT.findall(text)]


def folder_of(test, budget):
    """Returns the folder to which the test belongs, or None if there is none. If prefixes of several folders match the
    name of the test, the longest prefix decides."""
    if match := re.match(r"lit\.tests\.(\w+)/", test):
        return match[1] if match[1] in budget else None
    found = [(len(prefix), folder) for folder, (_, prefixes) in budget.items() for prefix in prefixes
             if test.startswith(prefix)]
    return max(found)[1] if found else None


def times_by_folder(times, budget):
    """Returns the time of each folder in seconds, and the tests that belong to no folder."""
    spent, homeless = collections.Counter(), []
    for test, seconds in times:
        if folder := folder_of(test, budget):
            spent[folder] += seconds
        else:
            homeless.append(test)
    return spent, homeless


def folders_over(spent, budget):
    """Returns a list of (folder, seconds, scaled budget) for the folders whose tests took considerably more than their
    scaled budget (see TOLERANCE)."""
    allowed = sum(budget[folder][0] for folder in spent)
    factor = max(1, sum(spent.values()) / allowed) if allowed else 1
    scaled = {folder: budget[folder][0] * factor for folder in spent}
    return [(folder, spent[folder], scaled[folder]) for folder in sorted(spent)
            if spent[folder] > TOLERANCE * scaled[folder] and spent[folder] > scaled[folder] + LEAST]


def report(budget, logs):
    """Yields the lines to print. `logs` contains pairs (folder, text). If `folder` is None, the name of each test
    determines the folder for which its time is counted."""
    spent, homeless, slowest = collections.Counter(), [], []
    for folder, text in logs:
        times = read_times(text)
        if folder:
            spent[folder] += sum(seconds for _, seconds in times)
            continue
        slowest += times
        found, without = times_by_folder(times, budget)
        spent.update(found)
        homeless += without
    yield "The slowest tests, in seconds:"
    for test, seconds in sorted(slowest, key=lambda item: -item[1])[:10]:
        yield f"{seconds:.2f} {test}"
    yield "Seconds of all tests of a folder, beside its budget in tests/README.md:"
    for folder, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        yield f"{seconds:8.0f} {budget[folder][0]:5} {folder}"
    for folder, seconds, most in folders_over(spent, budget):
        yield f"warning: the tests of {folder} took {seconds:.0f} seconds; the budget of this run for them is {most:.0f}"
    for test in homeless:
        yield f"warning: {test} belongs to no folder in the table of tests/README.md"


def main(readme, *logs):
    with open(readme, encoding="utf-8") as file:
        budget = read_budget(file.read())
    read = []
    for log in logs:
        folder, _, path = log.rpartition("=")
        if folder and folder not in budget:
            sys.exit(f"folder_times.py: {folder} is not a folder in the table of {readme}")
        with open(path, encoding="utf-8", errors="replace") as file:
            read.append((folder or None, file.read()))
    print("\n".join(report(budget, read)))


if __name__ == "__main__":
    main(*sys.argv[1:])
