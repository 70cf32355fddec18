"""The interleaved timing of bench/compare.py. usage: timing_test.py"""
import unittest

import load
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

    def test_a_disturbed_measurement_is_repeated(self):
        watch, loads = load.Watch, iter([0.5, 0.2, 0.01, 0.3, 0.1, 0.2])

        class Given(watch):
            def foreign(self):
                return next(loads)
        load.Watch = Given
        try:
            results = iter(range(6))
            self.assertEqual(load.undisturbed(lambda: next(results)), (2, 0.01))
            self.assertEqual(load.undisturbed(lambda: next(results)), (4, 0.1))  # the least disturbed of three
        finally:
            load.Watch = watch

    def test_own_work_is_not_foreign(self):
        watch = load.Watch()
        self.assertGreaterEqual(watch.foreign(), 0)


if __name__ == "__main__":
    unittest.main()
