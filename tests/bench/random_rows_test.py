"""Tests bench/random_rows.py, which makes random operations to measure, such as 'linear m=4 n=6 k=8'.
usage: random_rows_test.py"""
import unittest

import quoted
import random_rows


class RandomRows(unittest.TestCase):
    def test_equal_seeds_give_equal_rows(self):
        self.assertEqual(random_rows.make(20, 3), random_rows.make(20, 3))
        self.assertNotEqual(random_rows.make(20, 3), random_rows.make(20, 4))

    def test_rows_are_distinct_and_of_every_kind(self):
        for seed in range(20):
            rows = random_rows.make(20, seed)
            self.assertEqual(len(set(rows)), 20)
            self.assertEqual({quoted.parse(row)[0] for row in rows}, set(quoted.KNOBS))
        self.assertEqual(random_rows.make(0, 1), [])

    def test_rows_are_grouped_by_kind(self):
        kinds = [row.split()[0] for row in random_rows.make(40, 1)]
        self.assertEqual(len([kind for kind, before in zip(kinds, [None] + kinds) if kind != before]), 5)

    def test_sizes_are_bounded(self):
        for row in random_rows.make(500, 7):
            self.assertTrue(quoted.is_operation(row), row)
            kind, knobs = quoted.parse(row)
            if kind == "attention":
                self.assertLessEqual(4 * knobs["b"] * knobs["hq"] * knobs["sq"] * knobs["skv"] * knobs["d"], 2e9, row)
            elif kind == "linear":
                self.assertLessEqual(2 * knobs["m"] * knobs["n"] * knobs["k"], 2e9, row)
            elif kind == "minilm":
                self.assertLessEqual(knobs["b"] * knobs["s"], 250, row)
            else:
                self.assertLessEqual(knobs["rows"] * knobs["d"], 8 << 20, row)


if __name__ == "__main__":
    unittest.main()
