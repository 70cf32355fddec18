"""Tests the ratios within rounds, on which bench/compare.py bases its verdicts. usage: ratios_test.py

The contestants are Heddle and its peers. All of them are timed in each round. The ratio within a round is the ratio of
the median times of two contestants in this round.
"""
import unittest

import ratios


class Ratios(unittest.TestCase):
    def test_median_and_quartiles_of_the_ratios_within_rounds(self):
        slow = [[2.0], [3.0, 3.0, 9.0], [4.0], [5.0], [6.0]]
        self.assertEqual(ratios.compare(slow, [[1.0]] * 5),
                         {"median": 4.0, "lower": 3.0, "upper": 5.0, "minima": 2.0, "rounds": 5})

    def test_load_of_other_processes_cancels_out_within_rounds(self):
        load = [1, 1, 8, 8, 8, 8, 8, 1, 1]
        ratio = ratios.compare([[1.2 * by, 1.2 * by] for by in load], [[1.0 * by] for by in load])
        for name in ("median", "lower", "upper", "minima"):
            self.assertAlmostEqual(ratio[name], 1.2)
        self.assertEqual(ratios.doubts(ratio), [])

    def test_the_median_of_all_samples_would_mislead(self):
        """The median of all samples would favour a contestant that has more of its samples in undisturbed rounds."""
        slow = [[1.2] * 40, [9.6]] * 5
        fast = [[1.0], [8.0] * 40] * 5
        self.assertAlmostEqual(ratios.compare(slow[:9], fast[:9])["median"], 1.2)

    def test_doubts(self):
        sure = {"median": 2.0, "lower": 1.92, "upper": 2.08, "minima": 1.95}
        self.assertEqual(ratios.doubts(sure), [])
        self.assertEqual(ratios.doubts(sure | {"upper": 2.3}), ["half of the rounds are between 1.92 and 2.30"])
        self.assertEqual(ratios.doubts(sure | {"minima": 1.7}), ["the ratio of the minima is 1.70"])
        self.assertEqual(ratios.doubts(sure | {"minima": 2.3, "lower": 1.5}),
                         ["half of the rounds are between 1.50 and 2.08", "the ratio of the minima is 2.30"])


if __name__ == "__main__":
    unittest.main()
