"""How bench/defaults.py reads what `heddle bench` prints. usage: defaults_test.py"""
import json
import types
import unittest

import defaults


def run(name, label, median):
    return {"run_name": "model.onnx/" + name, "run_type": "iteration", "label": label, "call_median": median}


def kernel(name, time):
    return {"run_name": "model.onnx/profile/" + name, "run_type": "iteration", "label": "", "real_time": time}


class Times(unittest.TestCase):
    def read(self, *runs):
        return defaults.Times(json.dumps({"benchmarks": runs}), "model.onnx")

    def test_candidates_ahead_of_the_default(self):
        times = self.read(run("packed", "default", 2.0), run("packed:panel=16", "linear=packed:panel=16", 1.6),
                          run("rows", "linear=rows", 1.0), run("other", "linear=other", 3.0))
        self.assertEqual(times.default, "packed")
        self.assertEqual(times.leads(), [(2.0, "linear=rows"), (1.25, "linear=packed:panel=16")])

    def test_a_candidate_with_a_wrong_result_has_no_time(self):
        times = self.read(run("packed", "default", 2.0), {"run_name": "model.onnx/rows", "run_type": "iteration",
                                                          "label": "linear=rows", "error_occurred": True})
        self.assertEqual(times.leads(), [])
        self.assertEqual(times.wrong, ["linear=rows"])

    def test_shares_are_of_operations(self):
        times = self.read(run("default", "default", 2.0), kernel("k0 linear", 30), kernel("k1 general", 10),
                          kernel("k2 linear", 10))
        self.assertEqual(times.shares, {"linear": 0.8, "general": 0.2})


class Judge(unittest.TestCase):
    """`heddle bench` prints these medians, one call after the other."""

    def judge(self, *calls, ops="", kind="linear"):
        calls = list(calls)

        class Bench:
            several = False

            def run(self, duration, *options):
                return defaults.Times(json.dumps({"benchmarks": [run(c, c, t) for c, t in calls.pop(0).items()]}), "")

        Bench.kind = kind
        result = defaults.judge(Bench(), types.SimpleNamespace(duration=1, ops=ops))
        self.assertEqual(calls, [])
        return result

    def test_a_lead_that_stays(self):
        twice = {"default": 2.0, "linear=rows": 1.0}
        self.assertEqual(self.judge(twice, twice, {"default": 1.5, "linear=rows": 1.0})[1:], ("linear=rows", 1.5))

    def test_a_lead_that_was_chance(self):
        self.assertEqual(self.judge({"default": 2.0, "linear=rows": 1.0}, {"default": 1.0, "linear=rows": 1.0})[1:],
                         ("", 1.0))
        twice = {"default": 2.0, "linear=rows": 1.0}
        self.assertEqual(self.judge(twice, twice, {"default": 1.0, "linear=rows": 2.0})[1:], ("linear=rows", 1.0))

    def test_what_is_hardly_ahead_is_not_measured_again(self):
        self.assertEqual(self.judge({"default": 1.01, "linear=rows": 1.0})[1:], ("", 1.0))

    def test_other_operations_are_left_out(self):
        self.assertIsNone(self.judge(ops="attention"))


if __name__ == "__main__":
    unittest.main()
