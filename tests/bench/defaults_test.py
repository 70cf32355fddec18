"""Tests how bench/defaults.py reads the output of `heddle bench` and compares candidates with the default.

A candidate is a strategy with values of its knobs. The default is the candidate that Heddle chooses by itself.

usage: defaults_test.py
"""
import json
import types
import unittest

import defaults


def run(name, label, ratio, spread=0.0, minima=None):
    """Returns the JSON result of a candidate. `ratio` is the median ratio of the default's time to the candidate's, and
    `spread` is the distance between the quartiles of this ratio. `minima` is the ratio of the shortest times."""
    return {"run_name": "model.onnx/" + name, "run_type": "iteration", "label": label, "ratio_to_default": ratio,
            "ratio_lower_quartile": ratio - spread / 2, "ratio_upper_quartile": ratio + spread / 2,
            "ratio_of_minima": minima or ratio}


def kernel(name, time):
    """Returns the JSON result of a kernel of the default."""
    return {"run_name": "model.onnx/profile/" + name, "run_type": "iteration", "label": "", "real_time": time}


class Times(unittest.TestCase):
    def read(self, *runs):
        return defaults.Times(json.dumps({"benchmarks": runs}), "model.onnx")

    def test_candidates_ahead_of_the_default(self):
        times = self.read(run("packed", "default", 1.0), run("packed:panel=16", "linear=packed:panel=16", 1.25),
                          run("rows", "linear=rows", 2.0, 0.4, 1.9), run("other", "linear=other", 0.7))
        self.assertEqual(times.default, "packed")
        self.assertEqual([choice for _, choice in times.leads()], ["linear=rows", "linear=packed:panel=16"])
        self.assertEqual(times.leads()[0][0], {"median": 2.0, "lower": 1.8, "upper": 2.2, "minima": 1.9})

    def test_medians_of_calls_do_not_count(self):
        slow = run("packed", "default", 1.0) | {"call_median": 3.0}
        times = self.read(slow, run("rows", "linear=rows", 0.9) | {"call_median": 1.0})
        self.assertEqual(times.leads(), [])

    def test_a_candidate_with_a_wrong_result_has_no_time(self):
        times = self.read(run("packed", "default", 1.0), {"run_name": "model.onnx/rows", "run_type": "iteration",
                                                          "label": "linear=rows", "error_occurred": True})
        self.assertEqual(times.leads(), [])
        self.assertEqual(times.wrong, ["linear=rows"])

    def test_shares_of_the_time_are_summed_for_each_kind_of_operation(self):
        times = self.read(run("default", "default", 2.0), kernel("k0 linear", 30), kernel("k1 general", 10),
                          kernel("k2 linear", 10))
        self.assertEqual(times.shares, {"linear": 0.8, "general": 0.2})


class FindBest(unittest.TestCase):
    def find_best(self, *calls, ops="", kind="linear"):
        """Runs defaults.find_best() with a fake `heddle bench`. Call number n of `heddle bench` prints the ratios
        calls[n], a dictionary from candidates to ratios. Returns the best candidate ("" for the default) and the median
        ratio of the default's time to the time of this candidate. Returns None if nothing is tuned."""
        calls = list(calls)

        class Bench:
            several = False

            def run(self, duration, *options):
                runs = [run("packed", "default", 1.0), *(run(c, c, ratio) for c, ratio in calls.pop(0).items())]
                return defaults.Times(json.dumps({"benchmarks": runs}), "")

        Bench.kind = kind
        result = defaults.find_best(Bench(), types.SimpleNamespace(duration=1, ops=ops))
        self.assertEqual(calls, [])
        return result and (result[1], result[2]["median"])

    def test_a_faster_candidate_that_stays_faster_when_measured_again(self):
        twice = {"linear=rows": 2.0, "linear=other": 1.5}
        self.assertEqual(self.find_best(twice, twice, {"linear=rows": 1.5}), ("linear=rows", 1.5))

    def test_a_faster_candidate_that_is_not_faster_when_measured_again(self):
        self.assertEqual(self.find_best({"linear=rows": 2.0}, {"linear=rows": 1.0}), ("", 1.0))
        self.assertEqual(self.find_best({"linear=rows": 2.0}, {"linear=rows": 2.0}, {"linear=rows": 0.5}),
                         ("linear=rows", 0.5))

    def test_a_candidate_that_is_hardly_faster_is_not_measured_again(self):
        self.assertEqual(self.find_best({"linear=rows": 1.01}), ("", 1.0))

    def test_a_question_mark_shows_that_rounds_disagree(self):
        ratio = {"median": 1.1, "lower": 1.0, "upper": 1.2, "minima": 1.1}
        self.assertEqual(defaults.ratio_text(ratio), "1.10?")
        self.assertEqual(defaults.ratio_text(ratio | {"lower": 1.09, "upper": 1.11}), "1.10")
        self.assertEqual(defaults.ratio_text(defaults.EVEN | {"median": 0.98}), "1.00")

    def test_operations_that_ops_does_not_select_are_not_tuned(self):
        self.assertIsNone(self.find_best(ops="attention"))


if __name__ == "__main__":
    unittest.main()
