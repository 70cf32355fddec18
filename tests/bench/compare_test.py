"""Tests how bench/compare.py parses its arguments and refuses wrong ones, and what it does when a signal ends a
process that measures. usage: compare_test.py"""
import argparse
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import compare
import save

# The beginning of a program that runs in place of worker.py. Each test appends its own code.
WORKER = """
import json, os, signal, sys
import progress, timing
path = sys.argv[sys.argv.index("--progress") + 1]
def die():
    os.kill(os.getpid(), signal.SIGKILL)
"""
# Prepares the contestants (programs that are compared) a, b and c and times them. The contestant `crashes` kills the
# process when it is timed, but not when it is prepared.
TIMED = """
state, loops, failed = progress.Progress(path), {}, []
for name in "abc":
    if state.trying("row", name):
        loops[name] = timing.loop_of(die if name == crashes else lambda: None)
    else:
        failed.append(name)
timing.measure(loops, 0.01, started=lambda name: state.trying("row", name))
print(json.dumps({"failed": failed}), flush=True)
state.finish("row")
"""


class Usage(unittest.TestCase):
    def parse(self, *words):
        argv, sys.argv = sys.argv, ["compare.py", *words]
        errors = io.StringIO()
        try:
            with contextlib.redirect_stderr(errors):
                return compare.parse()
        except SystemExit as end:
            return end.code, errors.getvalue()
        finally:
            sys.argv = argv

    def test_rows_are_patterns_and_operations(self):
        rows = self.parse("--rows", "attention|softmax", "--rows", "linear m=1 n=2 k=3").rows
        self.assertEqual(rows, ["attention|softmax", "linear m=1 n=2 k=3"])
        self.assertEqual(self.parse().rows, [])

    def test_random_rows_come_after_the_given_rows(self):
        rows = self.parse("--rows", "cold", "--random", "3", "--seed", "5").rows
        self.assertEqual((rows[0], len(rows)), ("cold", 4))

    def test_readme_selects_the_rows_of_the_readme(self):
        self.assertEqual(self.parse("--readme", "--save").rows, save.chosen_patterns())

    def test_mistakes(self):
        for words, reason in [(["--rows", "linear m=1 n=2"], "--rows 'linear m=1 n=2': linear: expected a size"),
                              (["--rows", "attention|("], "--rows 'attention|(': missing )"),
                              (["--readme", "--rows", "cold"], "--readme selects its own rows"),
                              (["--random", "-1"], "--random and --seed cannot be negative")]:
            status, text = self.parse(*words)
            self.assertEqual(status, 2)
            self.assertIn(reason, text)


class Signals(unittest.TestCase):
    def run_worker(self, code):
        """Returns the records of processes that run the code."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bench").mkdir()
            (folder / "worker.py").write_text(WORKER + code)
            arguments = argparse.Namespace(build=folder, peers="", duration=1, mcpu=None, rows=[])
            with mock.patch.object(compare, "BENCH", folder), contextlib.redirect_stderr(io.StringIO()), \
                    mock.patch.object(compare.report, "row_progress", str), \
                    mock.patch.dict(os.environ, PYTHONPATH=str(pathlib.Path(compare.__file__).parent)):
                return compare.run_worker(sys.executable, "model", 1, arguments)

    def test_a_process_that_tries_no_contestant_ends_the_comparison(self):
        tried = "state = progress.Progress(path)\nstate.trying('row', 'a')\n"
        for code, status in (("die()", -9), ("progress.Progress(path)\ndie()", -9),
                             (tried + "state.finish('row')\ndie()", -9), (tried + "sys.exit(3)", 3)):
            with self.subTest(code), self.assertRaisesRegex(SystemExit, rf"the process .* ended with status {status}$"):
                self.run_worker(code)

    def test_processes_that_end_before_they_read_the_file_end_the_comparison(self):
        with self.assertRaisesRegex(SystemExit, "ended with status -9$"):
            self.run_worker("if os.path.exists(path):\n    die()\nprogress.Progress(path).trying('row', 'a')\ndie()\n")

    def test_the_contestant_that_is_timed_is_left_out(self):
        for name in "abc":
            with self.subTest(name):
                self.assertEqual(self.run_worker(f"crashes = '{name}'\n" + TIMED), [{"failed": [name]}])
        self.assertEqual(self.run_worker("crashes = None\n" + TIMED), [{"failed": []}])


if __name__ == "__main__":
    unittest.main()
