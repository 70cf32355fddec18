"""Tests the ratios, marks and layout of the tables that bench/compare.py prints. usage: report_test.py"""
import unittest

import ratios
import report


def record(row, threads, target=1.5, microseconds=None, **seconds):
    """Returns a record of a row of the table. `target` is the ratio that Heddle is to reach, and `microseconds` is the
    time that its call is to reach. `seconds` maps each contestant (Heddle or a peer) to its time in seconds, the same
    in all rounds, or to a string, the reason why the contestant was not measured."""
    results = {name: {"failure": value} if isinstance(value, str) else {"median": value, "error": 0}
               for name, value in seconds.items()}
    for name, value in seconds.items():
        if name != "heddle" and not isinstance(value, str) and not isinstance(seconds["heddle"], str):
            results[name]["ratio"] = ratios.compare([[value]] * 9, [[seconds["heddle"]]] * 9)
    return {"row": row, "threads": threads, "target": target, "microseconds": microseconds, "foreign": 0.0,
            "flops": 0, "moved": 0, "roofs": {"flops": 100e9, "copy": 20e9},
            "peers": [name for name in seconds if not name.startswith("heddle")], "results": results}


class Report(unittest.TestCase):
    def test_the_ratio_compares_with_the_fastest_peer(self):
        self.assertAlmostEqual(report.ratio(record("a", 1, heddle=2e-3, onnx_runtime=4e-3, openvino_cpu=3e-3)), 1.5)

    def test_the_fastest_peer_is_the_one_with_the_smallest_ratio(self):
        some = record("a", 1, heddle=2e-3, onnx_runtime=4e-3, openvino_cpu=5e-3)
        some["results"]["openvino_cpu"]["ratio"] |= {"median": 1.7}  # the ratio of the medians is 2.5
        self.assertEqual(report.fastest(some)[0], "openvino_cpu")
        self.assertEqual(report.ratio_cell(some), "1.70?")  # ?, because the ratio of the minima differs

    def test_doubts(self):
        self.assertEqual(report.doubts(record("a", 1, heddle=2e-3, torch_eager=3e-3)), [])
        some = record("a", 1, heddle=2e-3, torch_eager=3e-3) | {"foreign": 0.25}
        some["results"]["torch_eager"]["ratio"] |= {"lower": 1.25}
        self.assertEqual(report.doubts(some), ["half of the rounds are between 1.25 and 1.50",
                                               "other processes used 25% of the CPUs"])
        self.assertEqual(report.ratio_cell(some), "1.50?")
        self.assertEqual(report.row_progress(some), "a: 1.50 (1.25-1.50, of minima 1.50); half of the rounds are "
                         "between 1.25 and 1.50; other processes used 25% of the CPUs")
        self.assertEqual(report.row_progress(record("a", 1, heddle="refused", torch_eager=1e-3)), "a: -")

    def test_no_ratio_without_a_peer_or_without_heddle(self):
        self.assertIsNone(report.ratio(record("a", 1, heddle=1e-3, iree_cpu="fails")))
        self.assertIsNone(report.ratio(record("a", 1, heddle="refused", iree_cpu=1e-3)))

    def test_marks(self):
        self.assertEqual(report.ratio_cell(record("a", 1, heddle=2e-3, torch_eager=3e-3)), "1.50")
        # The target is 1.5. A ratio that is at most 3% below the target is not marked.
        self.assertEqual(report.ratio_cell(record("a", 1, heddle=2e-3, torch_eager=2.92e-3)), "1.46")
        self.assertEqual(report.ratio_cell(record("a", 1, heddle=2e-3, torch_eager=2.8e-3)), "*1.40*")
        self.assertEqual(report.ratio_cell(record("a", 1, heddle=2e-3, torch_eager=1e-3)), "**0.50**")
        self.assertEqual(report.ratio_cell(record("a", 1, heddle=2e-3, torch_eager="fails")), "-")

    def test_rows_in_low_precision_have_a_cosine_and_a_roof_of_their_own(self):
        some = record("a", 1, heddle=1e-3, **{"openvino_int8:128": 2e-3}) | {"roof": "int8", "flops": 200e6}
        some["results"]["heddle"]["cosine"], some["results"]["openvino_int8:128"]["cosine"] = 0.99921, 0.9734
        self.assertEqual(report.roof_share(some), 0)  # no int8 roof: the processor has no int8 instruction
        some["roofs"]["int8"] = 400e9
        self.assertIn("| a | 2 (0.9734) | 1 (0.9992) | 2.00 | 2.00-2.00 | 2.00 | 1.5 | 50% |", report.tables([some]))
        self.assertIn("OpenVINO int8, groups of 128", report.tables([some]))

    def test_rows_that_only_read_memory_have_the_read_roof(self):
        some = record("a", 1, heddle=1e-3) | {"moved": 20e6}
        some["roofs"]["read"] = 40e9
        self.assertAlmostEqual(report.roof_share(some), 1)
        self.assertAlmostEqual(report.roof_share(some | {"memory": "read"}), 0.5)

    def test_a_table_for_each_group_of_peers(self):
        records = [record("a", 2, 1.6, heddle=1e-3, torch_eager=2e-3), record("b", 2, None, heddle=1e-3, iree_cpu=2e-6),
                   record("a", 1, heddle=2e-3, torch_eager=3e-3), record("b", 1, heddle=0.2, iree_cpu="fails")]
        records[0]["results"]["heddle_alone"] = {"median": 1.9e-3, "ratio": {"median": 1.9}}
        records[0]["flops"], records[2]["moved"] = 80e6, 10e6
        self.assertEqual(report.tables(records), """\
| median, ms | torch | Heddle | ratio | quartiles | of minima | target | of the roof | own gain |
|---|---|---|---|---|---|---|---|---|
| a | 3 / 2 | 2 / 1 | 1.50 / 2.00 | 1.50-1.50 / 2.00-2.00 | 1.50 / 2.00 | 1.5 / 1.6 | 25% / 80% | 1.90 |

| median, ms | IREE | Heddle | ratio | quartiles | of minima | target | of the roof | own gain |
|---|---|---|---|---|---|---|---|---|
| b | - / 0.002 | 200 / 1 | - / **0.00** | - / 0.00-0.00 | - / 0.00 | 1.5 / - | - / - | - |
""")

    def test_verdict(self):
        records = [record("a", 1, heddle=2e-3, torch_eager=1e-3), record("a", 2, heddle=2e-3, torch_eager=1e-3),
                   record("b", 1, heddle=2e-3, torch_eager=2.5e-3), record("c", 1, heddle="refused", torch_eager=1e-3),
                   record("d", 1, None, heddle=2e-3, torch_eager=2.5e-3) | {"foreign": 0.2}]
        self.assertEqual(report.verdict(records), "4 rows. Below 1: 1 (a). Below the target: 2 (a; b). "
                         "Without a ratio: 1 (c). Not to be trusted: 1 (d).\n")

    def test_short_table(self):
        self.assertEqual(report.short_table([record("a", 1, heddle=2e-3, onnx_runtime=4e-3, torch_eager=3e-3)]), """\
| work | 1 thread: Heddle, ms | ratio | to |
|---|---|---|---|
| a | 2 | 1.50 | torch |
""")

    def test_remarks(self):
        slow = record("a", 2, microseconds=1, heddle=1.5e-6, iree_cpu="does not compile")
        self.assertEqual(report.remarks([slow]), """\
- a, 2 threads: IREE: does not compile
- a, 2 threads: 1.50 us a call; target: 1
""")
        quiet = record("a", 1, microseconds=1, heddle=1e-6)
        self.assertEqual(report.remarks([quiet]), "")
        self.assertEqual(report.remarks([record("a", 1, heddle=2e-3, torch_eager=3e-3) | {"foreign": 0.25}]),
                         "- a, 1 thread: 1.50 is not to be trusted: other processes used 25% of the CPUs\n")
        self.assertEqual(report.remarks([record("a", 2, heddle=1e-3, heddle_alone=9e-4, torch_eager=1e-2)]),
                         "- a, 2 threads: slower than on one thread: the speedup is 0.90\n")

    def test_remarks_on_the_roof(self):
        some = record("a", 1, heddle=2e-3, torch_eager=2.2e-3) | {"flops": 160e6}
        self.assertEqual(report.remarks([some]), """\
- a, 1 thread: Heddle reaches 80% of the measured roof; at 100% the ratio would be 1.38; target: 1.5
""")

    def test_compile_cost(self):
        records = [record("MiniLM b1-s16", 1, heddle=1e-3), record("softmax", 1, heddle=1e-3)]
        for some in records:
            some["results"]["heddle"] |= {"compile_seconds": 6.54, "compile_bytes": 321e6, "library_bytes": 90.5e6,
                                          "weights_bytes": 90e6}
        self.assertEqual(report.compile_cost(records), "- MiniLM b1-s16: compiled in 6.5 s with a peak of 321 MB; "
                         "the library is 0.50 MB larger than its weights\n")


if __name__ == "__main__":
    unittest.main()
