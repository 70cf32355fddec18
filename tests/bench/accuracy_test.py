"""Tests the options of bench/accuracy.py and of the other programs that share them. usage: accuracy_test.py"""
import contextlib
import io
import sys
import unittest
from unittest import mock

import accuracy
import compare
import defaults
import encode


class Options(unittest.TestCase):
    def parse(self, program, *words):
        """Returns the arguments, or the text of the error."""
        errors = io.StringIO()
        with mock.patch.object(sys, "argv", [program.__name__, *words]), contextlib.redirect_stderr(errors):
            try:
                return program.parse()
            except SystemExit:
                return errors.getvalue()

    def test_precisions(self):
        self.assertEqual(self.parse(accuracy).precision, ["int8", "int8-block", "bf16"])
        self.assertEqual(self.parse(accuracy, "--precision", "int8 --least-cosine 0.9").precision,
                         ["int8 --least-cosine 0.9"])

    def test_only_programs_that_measure_with_several_numbers_of_threads_accept_threads(self):
        self.assertIn("unrecognized arguments: --threads", self.parse(accuracy, "--threads", "1"))
        for program in (compare, defaults, encode):
            self.assertEqual(self.parse(program).threads, "1,2")
            self.assertEqual(self.parse(program, "--threads", "1").threads, "1")


if __name__ == "__main__":
    unittest.main()
