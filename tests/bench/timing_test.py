"""The interleaved timing of bench/compare.py. usage: timing_test.py"""
import unittest

import timing


class Timing(unittest.TestCase):
    def test_every_contestant_is_timed_every_round(self):
        calls = []
        samples = timing.measure({"a": timing.loop_of(lambda: calls.append("a")),
                                  "b": timing.loop_of(lambda: calls.append("b"))}, duration=0.05)
        self.assertEqual(set(samples), {"a", "b"})
        turns = [name for name, before in zip(calls, [None] + calls) if name != before]
        self.assertGreaterEqual(len(turns), 6)  # at least three rounds, in turns
        for values in samples.values():
            self.assertGreaterEqual(len(values), 6)
            self.assertTrue(all(value > 0 for value in values))

    def test_summary(self):
        self.assertEqual(timing.summary([3.0, 1.0, 2.0]), {"median": 2.0, "p90": 2.0, "min": 1.0, "samples": 3})


if __name__ == "__main__":
    unittest.main()
