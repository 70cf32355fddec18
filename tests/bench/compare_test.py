"""Tests how bench/compare.py parses its arguments and refuses wrong ones. usage: compare_test.py"""
import contextlib
import io
import sys
import unittest

import compare
import save


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


if __name__ == "__main__":
    unittest.main()
