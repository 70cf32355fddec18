"""Tests the tables that bench/encode.py prints. usage: encode_report_test.py"""
import unittest

import encode_report


def ratio(median, minima=None):
    """Returns the ratio of a peer's (another program's) time to Heddle's, with quartiles close to the median."""
    return {"median": median, "lower": median - 0.01, "upper": median + 0.01, "minima": minima or median, "rounds": 9}


def record(peer=1.5, other=2.0, **changed):
    """Returns the results of a run. With the best batch size of each encoder, sentence-transformers takes `peer` times
    as long as Heddle if it uses ONNX, and `other` times as long if it uses torch. With default settings, both ratios
    are 1.1 times as large."""
    def results(factor):
        return {"heddle": {"batch": 32, "median": 4.0},
                "sentence_transformers_torch": {"batch": 16, "median": 4 * other * factor, "ratio": ratio(other * factor)},
                "sentence_transformers_onnx": {"batch": 8, "median": 4 * peer * factor, "ratio": ratio(peer * factor)}}
    return {"threads": 1, "sentences": 2000, "foreign": 0.0, "best": results(1), "defaults": results(1.1),
            "errors": dict.fromkeys(encode_report.NAMES, 2e-7), **changed}


class Report(unittest.TestCase):
    def test_one_line_for_each_encoder_the_fastest_first(self):
        lines = encode_report.table(record(), "best")
        self.assertIn("1 thread, each at its best batch", lines[0])
        self.assertEqual([line.split("|")[1].strip() for line in lines[4:]],
                         ["heddle.SentenceEncoder", "sentence-transformers, ONNX", "sentence-transformers, torch"])
        self.assertEqual(lines[5], "| sentence-transformers, ONNX | 8 | 6.00 | 333 | 1.50 | 1.49-1.51 | 2.0e-07 |")

    def test_the_verdict_compares_with_the_fastest_peer(self):
        self.assertEqual(encode_report.verdict(record(), "best"),
                         "The fastest peer, sentence-transformers, ONNX, takes 1.50 times as long as Heddle; "
                         "target: 1.2, reached.")
        self.assertIn("target: 1.35, not reached", encode_report.verdict(record(peer=1.2), "defaults"))
        self.assertIn("reached", encode_report.verdict(record(peer=1.2), "best"))

    def test_doubtful_ratios_are_marked(self):
        disturbed = record(foreign=0.2)
        self.assertIn("| 1.50? |", encode_report.table(disturbed, "best")[5])
        self.assertIn("not to be trusted: other processes used 20% of the CPUs",
                      encode_report.verdict(disturbed, "best"))
        apart = record()
        apart["best"]["sentence_transformers_onnx"]["ratio"] = ratio(1.5, minima=1.2)
        self.assertIn("the ratio of the minima is 1.20", encode_report.verdict(apart, "best"))

    def test_the_whole_report(self):
        text = encode_report.text([record(), record(threads=2)])
        self.assertEqual(text.count("The fastest peer"), 4)
        self.assertIn("2 threads, each with its default settings:", text)


if __name__ == "__main__":
    unittest.main()
