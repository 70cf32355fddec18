"""Tests that the scripts of tests/ refuse wrong arguments with a message. usage: arguments_test.py"""
import os
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Arguments(unittest.TestCase):
    def refused(self, status, message, script, *words):
        """Checks that the script ends with this status, and that `message` is in the last line of its errors."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", os.path.join(TESTS, script), *words], cwd=folder,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(message, done.stderr.splitlines()[-1])
        self.assertNotIn("Traceback", done.stderr)

    def test_a_fuzzer_needs_one_limit(self):
        def refused(message, *words):
            self.refused(2, message, "fuzz/fuzz.py", "build", "onnx", *words)

        refused("one of the arguments --runs --seconds is required")
        refused("not allowed with argument --runs", "--runs", "1", "--seconds", "1")
        refused("argument --runs: expected a positive number, found 0", "--runs", "0")
        refused("argument --seconds: expected a positive number, found -1", "--seconds", "-1")

    def test_a_part_of_the_cases(self):
        for script in "conformance/conformance.py", "exporters/exporters.py":
            with self.subTest(script):
                self.refused(2, "not allowed with argument --part", script, "heddle", "work", "--part", "0/2", "--write")
                for part in "2/2", "0/0", "-1/2", "1", "a/b":
                    self.refused(2, f"expected I/N with I less than N, found {part}", script, "heddle", "work",
                                 f"--part={part}")

    def test_times_of_an_unknown_folder(self):
        self.refused(1, "nowhere is not a folder in the table of", "folder_times.py", os.path.join(TESTS, "README.md"),
                     "nowhere=log")


if __name__ == "__main__":
    unittest.main()
