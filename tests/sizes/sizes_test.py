"""Tests that sizes.py detects wrong libraries and failing compilers, and that its operators compute as ONNX defines
them. Usage: sizes_test.py HEDDLE, where HEDDLE is the path of the program heddle."""
import os
import pathlib
import stat
import sys
import tempfile
import types
import unittest

try:
    import numpy as np
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

from cases import Case, matrix
from elements import add, cast, constant, div, fmod, mod
from formula import text_of
from library import Library, build_caller
from moves import pad, ints, slices
from processes import verify_all
from refusals import group_of, lacks
from spelling import SPELLINGS
from values import Evaluation, Invalid, Value
from verify import compare, verify

HEDDLE = pathlib.Path(sys.argv.pop(1))


def evaluate(value):
    return Evaluation({}).of(value)


class Operators(unittest.TestCase):
    def test_integers_divide_as_onnx_says(self):
        self.assertEqual(evaluate(div(constant(-7), constant(2))), -3)
        self.assertEqual(evaluate(mod(constant(-7), constant(2))), 1)
        self.assertEqual(evaluate(fmod(constant(-7), constant(2))), -1)
        self.assertEqual(evaluate(cast(constant(-1.5, np.float32), np.int64)), -1)
        self.assertEqual(evaluate(cast(constant(2 ** 31), np.int32)), -2 ** 31)

    def test_undefined_graphs_are_reported(self):
        with self.assertRaises(Invalid):
            evaluate(div(constant(1), constant(0)))
        with self.assertRaises(Invalid):
            evaluate(pad(ints(1, 2), ints(-2, -1), constant(0)))

    def test_slices_are_clamped(self):
        cut = slices(ints(1, 2, 3), ints(-2), ints(64), ints(0), ints(1))
        self.assertEqual(evaluate(cut).tolist(), [2, 3])


class Verification(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def verify(self, value_of, heddle=HEDDLE):
        """Returns the Verdict for the model value_of(x), with an input x [s, 8] and s in 1..3."""
        x = matrix("x", "s")
        case = Case("test", SPELLINGS[0], {"s": (1, 3)}, [x], value_of(x))
        return verify(case, heddle, "cpu", build_caller(HEDDLE, "cpu", self.folder.name), self.folder.name)

    def compiler(self, script):
        """Returns the path of a shell script that replaces heddle."""
        path = pathlib.Path(self.folder.name) / "compiler"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(stat.S_IRWXU)
        return path

    def test_right(self):
        self.assertEqual(self.verify(lambda x: add(x, x)).kind, "right")

    def test_wrong_numbers(self):
        # The ONNX node adds, but the expected result is a difference. In the next test, the expected result has too few
        # rows.
        verdict = self.verify(lambda x: Value("Add", [x, x], lambda a, b: a - b, np.float32))
        self.assertEqual(verdict.kind, "wrong")
        self.assertIn("s=1: ", verdict.text)
        self.assertIn("wrong at 3 of 3: s=1, s=2, s=3", verdict.text)

    def test_wrong_shape(self):
        verdict = self.verify(lambda x: Value("Add", [x, x], lambda a, b: (a + b)[:1], np.float32))
        self.assertEqual(verdict.text, "s=2: shape [2, 8] instead of [1, 8]; wrong at 2 of 3: s=2, s=3")

    def test_compilers_that_fail(self):
        for script, kind, text in [("echo no >&2; exit 1", "refused", "no"), ("exit 1", "crash", "without a message"),
                                   ("exit 2", "crash", "status 2"), ("kill -8 $$", "crash", "status -8")]:
            verdict = self.verify(lambda x: x, self.compiler(script))
            self.assertEqual(verdict.kind, kind)
            self.assertIn(text, verdict.text)

    def test_a_shape_that_the_library_does_not_give(self):
        functions = types.SimpleNamespace(caller_output_rank=lambda handle: 2,
                                          caller_output_extent=lambda handle, dim, sizes: -1 if dim.value else 3)
        library = object.__new__(Library)
        library.functions, library.handle, library.size_names = functions, None, ["s"]
        with self.assertRaisesRegex(RuntimeError, r"the library gives the output the shape \[3, -1\]"):
            library.run({"s": 3}, {})

    def test_a_process_that_dies(self):
        found = dict(verify_all(["dies", "lives"], lambda key: os.abort() if key == "dies" else key, 2, 60))
        self.assertEqual(found, {"dies": "the process was killed by SIGABRT", "lives": "lives"})

    def test_bounds(self):
        one = np.float32(1).reshape(1)
        self.assertIsNone(compare(one, one + np.float32(1e-6), 1e-5))
        self.assertIsNotNone(compare(one, one + np.float32(1e-4), 1e-5))
        self.assertIsNotNone(compare(one * np.float32(np.nan), one, 1e-5))


class Formulas(unittest.TestCase):
    def test_sizes_have_their_names(self):
        for spelling in SPELLINGS:
            x = matrix("x", "s")
            number = cast(div(spelling.size(x), constant(2)), np.float32)
            self.assertEqual(text_of(add(x, number)), "(x + Cast((s / 2), float32))")


class Refusals(unittest.TestCase):
    def test_missing_parts_of_a_message(self):
        self.assertEqual(lacks("s: Slice_0: 3 rows at s=4, and 5 at s=7", {"Slice_0"}, {"s"}), [])
        self.assertEqual(lacks("s: Slice_0: is something else", {"Slice_0"}, {"s"}), ["two sizes"])
        self.assertEqual(lacks("Slice_01 at s=1 and s=2", {"Slice_0"}, {"s"}), ["node"])
        self.assertEqual(lacks("Slice_0: not for s=1..12 or s=4", {"Slice_0"}, {"s"}), ["two sizes"])

    def test_groups(self):
        self.assertEqual(group_of("Slice_0 at s=12"), group_of("Concat_3 at s=7"))


if __name__ == "__main__":
    unittest.main()
