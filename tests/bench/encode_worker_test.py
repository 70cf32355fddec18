"""Tests the checks and measurements of bench/encode_worker.py with fake encoders. usage: encode_worker_test.py"""
import contextlib
import io
import sys
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

import encode_worker
from encoders import Encoder

TEXTS = [f"text {i}" for i in range(12)]


def embeddings(texts):
    """Returns a different embedding for each of TEXTS."""
    return np.array([[len(text), int(text.split()[1])] for text in texts], np.float32)


class Worker(unittest.TestCase):
    def setUp(self):
        self.quiet = contextlib.redirect_stderr(io.StringIO())
        self.quiet.__enter__()
        self.addCleanup(self.quiet.__exit__, None, None, None)
        self.calls = []

    def encoder(self, name, off=0.0, seconds=lambda batch: 0, **options):
        """Returns an encoder that records its calls, takes seconds(batch) for each call, and returns embeddings with an
        error of `off`."""
        def encode(texts, batch):
            self.calls.append((name, batch, len(texts)))
            time.sleep(seconds(batch))
            return embeddings(texts) + np.float32(off)
        return Encoder(encode, **options)

    def encoders(self, **options):
        return {encode_worker.REFERENCE: self.encoder("torch"), "heddle": self.encoder("heddle", **options),
                "some": self.encoder("some", max_sentences=4, searched=False)}

    def test_an_encoder_with_other_results_is_an_error(self):
        self.assertEqual(encode_worker.check(self.encoders(), TEXTS),
                         {encode_worker.REFERENCE: 0.0, "heddle": 0.0, "some": 0.0})
        for off in (1e-3, float("nan")):
            with self.assertRaisesRegex(SystemExit, "wrong result of heddle"):
                encode_worker.check(self.encoders(off=off), TEXTS)
        wrong = self.encoders() | {"short": Encoder(lambda texts, batch: embeddings(texts)[1:])}
        with self.assertRaisesRegex(SystemExit, "wrong result of short"):
            encode_worker.check(wrong, TEXTS)

    def test_the_best_batch_is_found(self):
        encoders = self.encoders(seconds=lambda batch: 0.001 if batch == 16 else 0.02)
        best = encode_worker.best_batches(encoders, TEXTS)
        self.assertEqual(best["heddle"], 16)
        self.assertNotIn("some", best)

    def test_the_time_of_a_sample_is_scaled_to_all_texts(self):
        encoder = self.encoder("some", seconds=lambda batch: 0.01, max_sentences=4)
        self.assertGreaterEqual(encode_worker.timed(encoder, TEXTS, 32), 0.03)
        self.assertEqual(self.calls, [("some", 32, 4)])

    def test_every_second_round_runs_in_reverse_order(self):
        settings = [("heddle", 16), ("some", 32)]
        rounds = encode_worker.measure(self.encoders(), TEXTS, settings, 2)
        self.assertEqual([name for name, _, _ in self.calls], ["heddle", "some", "some", "heddle"])
        self.assertEqual([len(rounds[setting]) for setting in settings], [2, 2])
        results = encode_worker.result(rounds, dict(settings))
        self.assertEqual((results["some"]["batch"], results["some"]["ratio"]["rounds"]), (32, 2))
        self.assertNotIn("ratio", results["heddle"])


if __name__ == "__main__":
    unittest.main()
