"""Tests the random sentences that bench/encode.py encodes. usage: sentences_test.py"""
import re
import statistics
import unittest

import sentences


class Sentences(unittest.TestCase):
    def test_equal_seeds_give_equal_sentences(self):
        self.assertEqual(sentences.make(50, 3), sentences.make(50, 3))
        self.assertNotEqual(sentences.make(50, 3), sentences.make(50, 4))
        self.assertEqual(sentences.make(50, 3)[:20], sentences.make(20, 3))

    def test_lengths_are_distributed_as_in_prose(self):
        # A length is the number of words and punctuation marks, plus 2 for [CLS] and [SEP]. A tokenizer would make
        # slightly more tokens.
        lengths = [len(re.findall(r"\w+|[^\w\s]", text)) + 2 for text in sentences.make(2000, 1)]
        self.assertTrue(17 <= statistics.median(lengths) <= 22, statistics.median(lengths))
        lower, _, upper = statistics.quantiles(lengths, n=4)
        self.assertTrue(lower <= 14 and upper >= 27, (lower, upper))
        self.assertTrue(sentences.LEAST <= min(lengths) <= 6 and 70 <= max(lengths) <= sentences.MOST)

    def test_few_sentences_are_equal(self):
        self.assertGreater(len(set(sentences.make(2000, 1))), 1950)

    def test_sentences_begin_with_a_capital_and_end_with_a_full_stop(self):
        for text in sentences.make(200, 2):
            self.assertRegex(text, r"^[A-Z].*[^ ]\.$")
            self.assertNotIn(" ,", text)


if __name__ == "__main__":
    unittest.main()
