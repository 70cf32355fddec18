"""verification_test.py HEDDLE: tests the functions with which the other tests of this folder detect wrong results and
programs that fail."""
import os
import pathlib
import stat
import sys
import tempfile
import unittest

try:
    import numpy as np
    import onnx
except ImportError:
    sys.exit(1 if "HEDDLE_TESTS_NEED_TOOLS" in os.environ else 77)

import heddle
import hostile
import meaning
import onnx_forms
import verification

HEDDLE = sys.argv.pop(1)


class Verification(unittest.TestCase):
    def test_numbers(self):
        one = np.ones(2, np.float32)
        self.assertIsNone(verification.compare(one, one + 1e-6, 1e-5))
        self.assertIsNotNone(verification.compare(one, one + 1e-4, 1e-5))
        self.assertIsNotNone(verification.compare(one * np.float32(np.nan), one, 1e-5))
        self.assertIsNotNone(verification.compare(one, np.ones(3), 1e-5))
        self.assertIsNotNone(verification.compare(None, one, 1e-5))
        nan, infinite = one * np.float32(np.nan), one * np.float32(np.inf)
        for element in nan, infinite, -infinite:
            self.assertIsNone(verification.compare(element, element, 1e-5))
        for found, expected in (nan, infinite), (infinite, nan), (infinite, -infinite), (one, nan), (nan, one):
            self.assertIsNotNone(verification.compare(found, expected, 1e-5))

    def test_a_zero_point_that_is_off_by_one(self):
        def off(g, *arguments, **how):
            """Adds the form stored_product, with expected results for zero points that are larger by 1."""
            kept = meaning.dequantized
            meaning.dequantized = lambda integers, scales, zeros=0, *more: kept(integers, scales, zeros + 1, *more)
            try:
                onnx_forms.stored_product(g, *arguments, **how)
            finally:
                meaning.dequantized = kept
        cases = [(name, 1, form, (2,), 33, 17, {}) for name, form in (("right", onnx_forms.stored_product), ("off", off))]
        self.assertEqual([name for name, _ in verification.verify_graphs(HEDDLE, cases, 13)], ["off/y"])

    def test_programs_that_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program"
            for script, error, text in (("echo no >&2; exit 1", heddle.Refused, "no"), ("exit 1", heddle.Crash, "status 1"),
                                        ("exit 2", heddle.Crash, "status 2"), ("kill -11 $$", heddle.Crash, "SIGSEGV"),
                                        ("while :; do :; done", heddle.Crash, "SIGXCPU"),
                                        ("exec tail /dev/zero", heddle.Refused, "memory")):
                path.write_text("#!/bin/sh\n" + script)
                path.chmod(stat.S_IRWXU)
                with self.assertRaises(error, msg=script) as raised:
                    heddle.call(path, cpu=1, memory=1 << 28)
                self.assertIn(text, str(raised.exception))

    def test_failures_of_verify_are_classified(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program"
            line = "y [2] f32 against interpreter: {}: FAIL"
            apart = "NaN or infinity does not match at [0, 14]: {}, expected {}"
            bound = "max abs error 1 (2, expected 1) at [0], bound 1e-06 (4 x 0 of f32 interpretation + 1e-6 x {})"
            for text, isRight in ((bound.format("1.5"), False), (bound.format("1e-38"), False),
                                  (apart.format("inf", "-nan"), True),
                                  (apart.format("nan", "-inf"), True), (apart.format("-inf", "inf"), False),
                                  (apart.format("inf", "3.5"), False), (apart.format("-1e-40", "nan"), False)):
                line_of = line.format(text)
                reason = None if isRight else line_of
                path.write_text(f"#!/bin/sh\necho '{line_of}'\necho verified >&2\nexit 1")
                path.chmod(stat.S_IRWXU)
                found = hostile.verify_change(path, lambda random, folder: (folder, ""), [1], folder, 1 << 30)
                self.assertEqual(found[1], reason, text)


if __name__ == "__main__":
    unittest.main()
