"""Tests how the tables of bench/compare.py and bench/accuracy.py print cosines. usage: cosines_test.py

A cosine below 1 must not be rounded to 1.0000, because it would look like a perfect result.
"""
import unittest

import cosines


class Cosines(unittest.TestCase):
    def test_only_1_reads_as_1(self):
        for cosine, digits, expected in ((1.0, 4, "1.0000"), (0.99921, 4, "0.9992"), (0.99996, 4, "0.99996"),
                                         (0.999999, 4, "0.999999"), (0.9999996, 6, "0.9999996"),
                                         (1 - 2**-53, 6, "0.9999999999999999"), (1 + 2**-52, 4, "1.0000"),
                                         (-1.0, 4, "-1.0000"), (0.0, 6, "0.000000"), (float("nan"), 4, "nan")):
            self.assertEqual(cosines.text(cosine, digits), expected)


unittest.main()
