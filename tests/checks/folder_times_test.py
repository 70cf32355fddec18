"""Tests that tests/folder_times.py reads times and compares them with budgets. usage: folder_times_test.py"""
import os
import re
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)
import folder_times

README = ("| folder | seconds | its tests begin with |\n|---|---|---|\n| `cli` | 10 | |\n"
          "| `runtime` | 20 | `runtime.`, `model_test.` |\n| `wide` | 40 | `run` |\n")
PROGRAM = re.compile(r"^ *heddle_(?:unit|runtime_)test\(([\w-]+)", re.MULTILINE)


def log(*times):
    """Returns the output of ctest for pairs of a test and its seconds."""
    return "".join(f"  {i}/9 Test   #{i}: {test} ............   Passed    {seconds:.2f} sec\n"
                   for i, (test, seconds) in enumerate(times, 1))


class FolderTimes(unittest.TestCase):
    budget = folder_times.read_budget(README)

    def warnings(self, *times):
        """Returns the warnings about a run with these pairs of a test and its seconds."""
        return [line for line in folder_times.report(self.budget, [(None, log(*times))]) if line.startswith("warning")]

    def test_the_folder_of_a_test_follows_from_its_name(self):
        self.assertEqual({folder: seconds for folder, (seconds, _) in self.budget.items()},
                         {"cli": 10, "runtime": 20, "wide": 40})
        names = ["lit.tests.cli/a.test", "lit.tests.none/a.test", "runtime.headers", "runner", "model_test.A.B/0",
                 "other"]
        self.assertEqual([folder_times.folder_of(name, self.budget) for name in names],
                         ["cli", None, "runtime", "wide", "runtime", None])

    def test_folders_within_their_budgets(self):
        self.assertEqual(self.warnings(("lit.tests.cli/a", 9), ("runtime.b", 12), ("runtime.c", 7), ("runs", 40)), [])

    def test_no_warnings_if_all_folders_are_slow(self):
        self.assertEqual(self.warnings(("lit.tests.cli/a", 30), ("runtime.b", 60), ("runs", 120)), [])

    def test_a_folder_that_exceeds_its_share_is_reported(self):
        self.assertEqual(self.warnings(("lit.tests.cli/a", 9), ("runtime.b", 34), ("runs", 20), ("walks", 1)),
                         ["warning: the tests of runtime took 34 seconds; the budget of this run for them is 20",
                          "warning: walks belongs to no folder in the table of tests/README.md"])

    def test_all_tests_of_a_log_can_count_for_one_folder(self):
        lines = list(folder_times.report(self.budget, [("cli", log(("runtime.a", 70), ("walks", 7)))]))
        self.assertEqual(lines[-1].split(), ["77", "10", "cli"])

    def test_failed_tests_count(self):
        text = ("1/2 Test #7: a.b ......***Failed   12.50 sec\n2/2 Test #8: c ...***Timeout 600.01 sec\n"
                "      Start 9: d\n")
        self.assertEqual(folder_times.read_times(text), [("a.b", 12.5), ("c", 600.01)])

    def test_each_test_of_the_tree_has_a_folder(self):
        with open(os.path.join(TESTS, "README.md"), encoding="utf-8") as file:
            budget = folder_times.read_budget(file.read())
        names = []
        for folder, _, files in os.walk(TESTS):
            for path in (os.path.join(folder, file) for file in files):
                inside = os.path.relpath(path, TESTS)
                if path.endswith("CMakeLists.txt"):
                    with open(path, encoding="utf-8") as file:
                        names += [f"{name}.Suite.Case" for name in PROGRAM.findall(file.read())]
                elif re.search(r"/.*\.(mlir|test)$", inside) and not re.search(r"(^|/)(Inputs|data)/", inside):
                    names.append(f"lit.tests.{inside}")
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in names if not folder_times.folder_of(name, budget)], [])


if __name__ == "__main__":
    unittest.main()
