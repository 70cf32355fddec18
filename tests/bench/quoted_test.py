"""Tests rows of bench/compare.py that are quoted operations, such as 'softmax rows=4 d=5'. usage: quoted_test.py"""
import unittest

import quoted


class Quoted(unittest.TestCase):
    def mistake(self, text):
        """Returns the error text for an invalid operation."""
        with self.assertRaises(ValueError) as raised:
            quoted.parse(text)
        return str(raised.exception)

    def test_quoted_operations_are_distinguished_from_patterns_of_titles(self):
        for text in ("attention b=1 hq=12 hkv=4 s=200 d=64 causal=lower_right", "minilm s=64", "linear m=0 colour=red"):
            self.assertTrue(quoted.is_operation(text), text)
        for text in ("", "attention", "attention|softmax", "attention S=128 D=64, causal", "linear 128x1536x384",
                     "layer norm", "MiniLM b1-s16", "linear .*", "conv m=3"):
            self.assertFalse(quoted.is_operation(text), text)

    def test_missing_sizes_are_filled_in(self):
        self.assertEqual(quoted.parse("attention s=200 d=64"),
                         ("attention", {"b": 1, "hq": 1, "hkv": 1, "sq": 200, "skv": 200, "d": 64}))
        self.assertEqual(quoted.parse("attention h=12 hkv=4 sq=1 skv=4096 d=64 dv=32 causal=lower_right scale=.5 mask=b11k"),
                         ("attention", {"b": 1, "hq": 12, "hkv": 4, "sq": 1, "skv": 4096, "d": 64, "dv": 32,
                                        "causal": "lower_right", "scale": 0.5, "mask": "b11k"}))
        self.assertEqual(quoted.parse("attention sq=3 d=8")[1]["skv"], 3)
        self.assertEqual(quoted.parse("linear rows=4 n=5 k=6 activation=gelu bias=0"),
                         ("linear", {"m": 4, "n": 5, "k": 6, "activation": "gelu", "bias": 0}))
        self.assertEqual(quoted.parse("softmax m=4 d=5"), ("softmax", {"rows": 4, "d": 5}))
        self.assertEqual(quoted.parse("minilm s=64"), ("minilm", {"b": 1, "s": 64}))

    def test_mistakes(self):
        self.assertEqual(self.mistake("softmax rows=4 d=5 axis=0"),
                         "softmax: only the knobs rows, d can be compared, found 'axis'")
        self.assertEqual(self.mistake("softmax rows=0 d=5"), "softmax: rows: expected a positive size, found '0'")
        self.assertEqual(self.mistake("linear m=2147483649 n=5 k=6"),
                         "linear: m: expected at most 2147483648, found '2147483649'")
        self.assertEqual(self.mistake("softmax rows=4"), "softmax: expected a size, for example d=16")
        self.assertEqual(self.mistake("attention skv=4 d=8"), "attention: expected a size, for example sq=16")
        self.assertEqual(self.mistake("softmax m=4 rows=4 d=5"), "softmax: rows is given twice")
        self.assertEqual(self.mistake("attention s=4 d=8 causal=yes"),
                         "attention: causal: expected none, lower_right, upper_left, found 'yes'")
        self.assertEqual(self.mistake("attention s=4 d=8 bias=kq"),
                         "attention: bias: expected 1 or the dimensions that are not broadcast, such as b11k or qk, "
                         "found 'kq'")
        self.assertEqual(self.mistake("attention hq=12 hkv=5 s=4 d=8"),
                         "attention: hq=12 is not a multiple of hkv=5")
        self.assertEqual(self.mistake("minilm s=513"), "minilm: the model has positions for at most 512 tokens")


if __name__ == "__main__":
    unittest.main()
