"""Tests the interleaved timing of bench/compare.py. usage: timing_test.py"""
import time
import unittest

import load
import timing


class Timing(unittest.TestCase):
    def test_every_contestant_is_timed_every_round(self):
        calls = []
        rounds = timing.measure({"a": timing.loop_of(lambda: calls.append("a")),
                                 "b": timing.loop_of(lambda: calls.append("b"))}, duration=0.05)
        self.assertEqual(set(rounds), {"a", "b"})
        turns = [name for name, before in zip(calls, [None] + calls) if name != before]
        self.assertGreaterEqual(len(turns), 9)  # every second round runs in reverse order
        for values in rounds.values():
            self.assertEqual(len(values), len(rounds["a"]))
            self.assertGreaterEqual(len(values), timing.ROUNDS)
            self.assertTrue(all(samples and min(samples) > 0 for samples in values))

    def test_each_turn_is_announced(self):
        events = []
        loops = {name: timing.loop_of(lambda name=name: events.append(("call", name))) for name in "ab"}
        for touch in (None, lambda: None):
            events.clear()
            timing.measure(loops, 0.01, touch, lambda name: events.append(("start", name)))
            self.assertEqual({event for event, _ in events}, {"start", "call"})
            self.assertEqual(events[0], ("start", "a"))
            for (event, name), (_, before) in zip(events[1:], events):
                self.assertTrue(event == "start" or name == before)

    def test_rounds_continue_for_the_given_duration(self):
        loop = timing.loop_of(lambda: None)
        self.assertGreater(len(timing.measure({"a": loop}, duration=0.5)["a"]), timing.ROUNDS)
        self.assertEqual(timing.measure({}, duration=1), {})

    def test_caches_are_filled_before_each_call_with_cold_caches(self):
        order = []
        samples = timing.cold_burst(lambda n: order.append(n), lambda: order.append("touch"))
        # The first call gives no sample.
        self.assertEqual(order, ["touch", 1] * (timing.COLD_CALLS + 1))
        self.assertEqual(len(samples), timing.COLD_CALLS)

    def test_touching_is_not_timed(self):
        pause = 0.01
        samples = timing.cold_burst(lambda n: None, lambda: time.sleep(pause))
        self.assertLess(min(samples), pause)

    def test_summary(self):
        self.assertEqual(timing.summary([[3.0], [1.0, 2.0]]), {"median": 2.0, "p90": 2.0, "min": 1.0, "samples": 3})

    def test_a_disturbed_measurement_is_repeated(self):
        watch, loads = load.Watch, iter([0.5, 0.2, 0.01, 0.3, 0.1, 0.2])

        class Given(watch):
            def foreign(self):
                return next(loads)
        load.Watch = Given
        try:
            results = iter(range(6))
            self.assertEqual(load.undisturbed(lambda: next(results)), (2, 0.01))
            self.assertEqual(load.undisturbed(lambda: next(results)), (4, 0.1))  # the least disturbed result
            loads, results = iter([0.01, 0.02, 0.01, 0.02]), iter(["a?", "b", "c??", "d?"])
            # A result with question marks is doubtful. If all are doubtful, the one with the fewest marks is returned.
            marks = lambda result: list(result[1:])
            self.assertEqual(load.undisturbed(lambda: next(results), marks), ("b", 0.02))
            self.assertEqual(load.undisturbed(lambda: next(results), marks, attempts=2), ("d?", 0.02))
        finally:
            load.Watch = watch

    def test_the_load_of_other_processes_is_not_negative(self):
        watch = load.Watch()
        self.assertGreaterEqual(watch.foreign(), 0)


if __name__ == "__main__":
    unittest.main()
