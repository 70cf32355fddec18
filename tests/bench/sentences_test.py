"""The sentences of bench/encode.py. usage: sentences_test.py"""
import re
import statistics
import unittest

import sentences


class Sentences(unittest.TestCase):
    def test_the_same_for_the_same_seed(self):
        self.assertEqual(sentences.make(50, 3), sentences.make(50, 3))
        self.assertNotEqual(sentences.make(50, 3), sentences.make(50, 4))
        self.assertEqual(sentences.make(50, 3)[:20], sentences.make(20, 3))

    def test_lengths_are_those_of_prose(self):
        # Words and punctuation marks: slightly fewer than tokens, two of which are [CLS] and [SEP].
        lengths = [len(re.findall(r"\w+|[^\w\s]", text)) + 2 for text in sentences.make(2000, 1)]
        self.assertTrue(17 <= statistics.median(lengths) <= 22, statistics.median(lengths))
        lower, _, upper = statistics.quantiles(lengths, n=4)
        self.assertTrue(lower <= 14 and upper >= 27, (lower, upper))
        self.assertTrue(sentences.LEAST <= min(lengths) <= 6 and 70 <= max(lengths) <= sentences.MOST)

    def test_they_differ(self):
        self.assertGreater(len(set(sentences.make(2000, 1))), 1950)

    def test_they_are_sentences(self):
        for text in sentences.make(200, 2):
            self.assertRegex(text, r"^[A-Z].*[^ ]\.$")
            self.assertNotIn(" ,", text)


if __name__ == "__main__":
    unittest.main()
