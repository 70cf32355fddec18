"""Tests python -m heddle.against, which compares a compiled model with another engine: the sizes at which it compares
their results, the differences that it accepts, and its exit status. A class in this file replaces the engine torch."""
import contextlib
import io
import unittest.mock

import numpy as np

import heddle
import support
from heddle import against
from heddle.against import __main__ as program
from heddle.against import engines, inputs, points
from heddle.against.comparison import Expected, compare
from support import softmax_of


class Numpy(engines.Base):
    """An engine that computes softmax in numpy, in f64 (the reference) and f32. `spoil` changes the results, to make
    them wrong."""
    spoil = staticmethod(lambda results: results)

    def __init__(self, model, outputs):
        if not model.startswith("softmax"):
            raise engines.Refused("takes softmax alone")

    def run(self, given):
        x = given["input"]
        return self.spoil({"out": Expected(softmax_of(x.astype(np.float64)), softmax_of(x))})


def run(*words, spoil=None):
    """Runs the program with the arguments `words` and the engine Numpy. Returns the exit status and the output."""
    said = io.StringIO()
    engine = type("Engine", (Numpy,), {"spoil": staticmethod(spoil)} if spoil else {})
    with unittest.mock.patch.object(engines, "load", lambda name: engine):
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = program.main([*words, "--engine", "torch"])
            except SystemExit as end:
                status = end.code
    return status, said.getvalue()


def changed(change):
    """Returns a function for `spoil` that applies `change` to the arrays in f64 and f32."""
    def spoil(results):
        change(results["out"].reference)
        change(results["out"].single)
        return results
    return spoil


class Against(support.Folder):
    def test_every_size_of_a_small_range(self):
        status, said = run("softmax rows=1..64 d=39")
        self.assertEqual(status, 0, said)
        self.assertIn("64 of 64 results are right, at 64 of 64 sizes, --seed 1", said)
        self.assertRegex(said, r"rows=7: out \[7, 39\] against torch: max abs error .*, bound .* \(4 x .* of the engine's f32")

    def test_a_large_range(self):
        status, said = run("softmax rows=1..100 d=39", "--samples", "5", "-q")
        self.assertEqual((status, said), (0, "7 of 7 results are right, at 7 of 100 sizes, --seed 1\n"))

    def test_wrong_results(self):
        def one(values):
            values[-1, -1] += 1e-3

        status, said = run("softmax rows=1..4 d=39", "-q", spoil=changed(one))
        self.assertEqual(status, 1)
        self.assertEqual(said.count("FAIL: max abs error 0.001 exceeds the bound"), 4, said)
        self.assertIn("0 of 4 results are right", said)

        def none(values):
            values[0, 3] = np.nan

        status, said = run("softmax rows=2 d=39", spoil=changed(none))
        self.assertEqual(status, 1)
        self.assertIn("NaN is not in the same places as in the engine's result, first at [0, 3]", said)

    def test_no_common_output_is_a_failure(self):
        status, said = run("softmax rows=2 d=39", spoil=lambda results: {})
        self.assertEqual(status, 1)
        self.assertIn("outputs not compared, because torch does not compute them: out", said)

    def test_refusals(self):
        self.assertEqual(run("layer_norm rows=2 d=39")[0], 1)
        self.assertIn("takes softmax alone", run("layer_norm rows=2 d=39")[1])
        self.assertEqual(run("softmax rows=2")[0], 1)
        for words in (("--dim", "rows"), ("--dim", "a=1", "--dim", "a=2"), ("--seed", "-1"), ("--samples", "-99999999999999999999"),
                      ("--seed", "1.5")):
            self.assertEqual(run("softmax rows=2 d=39", *words)[0], 2)
        self.assertIn("--samples: expected a whole number of at least 0, found -99999999999999999999",
                      run("softmax rows=2 d=39", "--samples", "-99999999999999999999")[1])
        with self.assertRaises(engines.Refused):
            with unittest.mock.patch.dict("sys.modules", {"onnxruntime": None}):
                engines.load("onnxruntime")

    def test_tolerance(self):
        self.assertEqual(run("softmax rows=2 d=39", "--tolerance", "0")[0], 1)
        self.assertEqual(run("softmax rows=2 d=39", "--tolerance", "1e-5")[0], 0)


class Parts(support.Folder):
    def test_points(self):
        chosen, total = points.choose([], 3, 1)
        self.assertEqual((chosen, total), ([{}], 1))
        sizes = [heddle.Size("a", 1, 100), heddle.Size("b", 0, 100)]
        chosen, total = points.choose(sizes, 20, 1)
        self.assertEqual(total, 10100)
        for corner in ({"a": 1, "b": 0}, {"a": 1, "b": 100}, {"a": 100, "b": 0}, {"a": 100, "b": 100}):
            self.assertIn(corner, chosen)
        self.assertGreater(len(chosen), 20)
        self.assertEqual(points.choose(sizes, 20, 1)[0], chosen)
        self.assertNotEqual(points.choose(sizes, 20, 2)[0], chosen)

    def test_inputs_fit_the_model(self):
        model = support.encoder()
        given = inputs.make(model, {"batch_size": 3, "sequence_length": 7}, np.random.default_rng(1))
        self.assertEqual({name: value.shape for name, value in given.items()},
                         {"input_ids": (3, 7), "attention_mask": (3, 7), "token_type_ids": (3, 7)})
        self.assertTrue((np.diff(given["attention_mask"]) <= 0).all() and (given["attention_mask"][:, 0] == 1).all())
        model.run(given)

    def test_bounds(self):
        reference = np.array([1.0, -4.0])
        single = reference + [0, 1e-6]
        # The bound is 4 times the error of `single`, 1e-6, plus 1e-6 of the largest result, 4: 8e-6 in all.
        self.assertTrue(compare((reference + [0, 7e-6]), Expected(reference, single), None, 0).ok)
        self.assertFalse(compare((reference + [0, 9e-6]), Expected(reference, single), None, 0).ok)
        self.assertTrue(compare(reference + 3e-4, Expected(reference), None, 1e-4).ok)
        self.assertFalse(compare(reference + 5e-4, Expected(reference), None, 1e-4).ok)
        self.assertFalse(compare(reference[:1], Expected(reference), None, 1).ok)
        infinite = np.array([np.inf, 1.0])
        self.assertTrue(compare(infinite, Expected(infinite), None, 0).ok)
        for wrong in (-infinite, np.array([1.0, 1.0]), np.array([np.nan, 1.0])):
            self.assertFalse(compare(wrong, Expected(infinite), None, 1).ok)


assert against.__doc__
support.main()
