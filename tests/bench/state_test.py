"""Tests that bench/library.py calls a library with a state repeatedly, each time with the same past.

usage: state_test.py HEDDLE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

import library

HEDDLE = sys.argv.pop(1)
MODEL = pathlib.Path(__file__).resolve().parents[2] / "examples" / "10-decoder-state-in-c" / "attention.mlir"
# The number of past rows, of query heads and of key heads, and the size of a head.
PAST, HEADS, STORED, SIZE = 5, 4, 2, 16


def attention(query, keys, values):
    """Returns the attention of one query of each head over all keys. Groups of HEADS / STORED heads
    share keys and values."""
    keys, values = (np.repeat(x, HEADS // STORED, axis=1).astype(np.float64) for x in (keys, values))
    scores = np.exp(query @ keys.swapaxes(2, 3) / np.sqrt(SIZE))
    return scores / scores.sum(-1, keepdims=True) @ values


class State(unittest.TestCase):
    def test_each_call_appends_after_the_filled_rows(self):
        random = np.random.default_rng(1)
        rows = {name: random.standard_normal((1, heads, PAST + 1, SIZE)).astype(np.float32)
                for name, heads in (("query", HEADS), ("key", STORED), ("value", STORED))}
        inputs = {name: np.zeros_like(array[:, :, :1]) for name, array in rows.items()} | {"past": np.zeros(1, np.int64)}

        def place(number):
            """Stores row `number` in the inputs."""
            for name, array in rows.items():
                inputs[name][:] = array[:, :, number:number + 1]
            inputs["past"][:] = number

        def fill(call):
            """Makes PAST calls, which fill the past rows of the state, and prepares the inputs of the next row."""
            for number in range(PAST):
                place(number)
                call()
            place(PAST)

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "attention.so"
            subprocess.run([HEDDLE, "compile", MODEL, "-o", path, "--dim", "batch_size=1", "--dim", "sequence_length=1",
                            "--dim", f"capacity={PAST + 1}"], check=True, stdout=subprocess.DEVNULL)
            compiled = library.Compiled(str(path), 1, None)
            out = compiled.bind(inputs, {"out"}, fill)["out"]
            expected = attention(rows["query"][:, :, PAST:], rows["key"], rows["value"])
            for _ in range(3):
                np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)
                out[:] = 0
                compiled.call()
            with self.assertRaisesRegex(RuntimeError, "state not filled"):
                compiled.bind(inputs, {"out"})


if __name__ == "__main__":
    unittest.main()
