"""Tests the files that bench/compare.py --save writes. usage: save_test.py"""
import pathlib
import re
import tempfile
import unittest

import save
from report_test import record


class Save(unittest.TestCase):
    def test_tables_go_between_the_markers(self):
        for path in (save.README, save.ALL):
            before, after = save.TABLE.sub(lambda m: m[1] + "@\n" + m[2], path.read_text()).split("\n@\n")
            self.assertTrue(before.endswith("writes this table -->"))
            self.assertTrue(after.startswith("<!-- end of the table -->"))

    def test_the_rows_of_the_readme_are_the_chosen_rows_and_are_in_the_whole_table(self):
        def titles(path):
            return re.findall(r"^\| ([^|]+) \|", save.TABLE.search(path.read_text())[0], re.M)[1:]

        self.assertEqual(titles(save.README), save.CHOSEN)
        self.assertEqual(len(save.CHOSEN), 10)
        self.assertLessEqual(set(save.CHOSEN), set(titles(save.ALL)))

    def test_the_pattern_of_a_chosen_row_matches_this_row_only(self):
        rows = re.findall(r"^\| ([^|]+) \|", save.ALL.read_text(), re.M)
        for title, pattern in zip(save.CHOSEN, save.chosen_patterns()):
            self.assertEqual([row for row in rows if re.search(pattern, row)], [title])

    def test_machine_and_versions(self):
        machine = {"cpu": "Some CPU", "family": "1", "model": "2", "features": ["avx2"], "caches": {"L1": 32768},
                   "cpus": 2, "system": "Linux"}
        self.assertEqual(save.describe(machine, {"torch": "2"}, "abc", None), "Some CPU (family 1 model 2, avx2; "
                         "L1 32 KiB), 2 CPUs, Linux. torch 2. Heddle abc.\n")
        self.assertIn("compiled for x86-64-v3", save.describe(machine, {}, "abc", "x86-64-v3"))

    def test_roofs(self):
        self.assertEqual(save.roofs([{"threads": 2, "roofs": {"flops": 200e9, "copy": 25e9}}]),
                         "Measured on 2 threads: 200 GFLOP/s, copy 25.0 GB/s read and written.\n")
        self.assertIn("read and written, 30.0 GB/s read.\n",
                      save.roofs([{"threads": 1, "roofs": {"flops": 200e9, "copy": 25e9, "read": 30e9}}]))
        self.assertIn("200 GFLOP/s, 800 Gint8 operations/s, copy",
                      save.roofs([{"threads": 1, "roofs": {"flops": 200e9, "int8": 800e9, "copy": 25e9}}]))

    def saved(self, records, rows=(), mcpu=None, name=""):
        """Returns the result of save(), the README, the table of all rows, and the file names of the results without
        their dates."""
        result = {"machine": {"cpu": "c", "family": "1", "model": "2", "features": [], "caches": {}, "cpus": 2,
                              "system": "Linux"}, "versions": {}, "heddle": "abc", "records": records,
                  "rows": list(rows), "mcpu": mcpu}
        kept = save.RESULTS, save.README, save.ALL
        try:
            with tempfile.TemporaryDirectory() as folder:
                save.RESULTS, save.README, save.ALL = (pathlib.Path(folder) / part for part in ("results", "a.md", "b.md"))
                for path in (save.README, save.ALL):
                    path.write_text("<!-- bench/compare.py --save writes this table -->\nold\n<!-- end of the table -->")
                reasons = save.save(result, name)
                names = sorted(path.name[10:] for path in save.RESULTS.iterdir())
                return reasons, save.README.read_text(), save.ALL.read_text(), names
        finally:
            save.RESULTS, save.README, save.ALL = kept

    def chosen(self):
        return [record(title, threads, heddle=2e-3, onnx_runtime=4e-3) for threads in (1, 2) for title in save.CHOSEN]

    def test_a_run_of_all_rows_goes_into_both_tables(self):
        records = self.chosen()[::-1] + [record("another", 1, heddle=2e-3, onnx_runtime=4e-3)]
        reasons, readme, table, names = self.saved(records)
        self.assertEqual((reasons, names), ([], [".json", ".md"]))
        self.assertIn("| another | 2 | 2.00 | ONNX Runtime |", table)
        for text in readme, table:
            self.assertIn("\nc (family 1 model 2, ), 2 CPUs, Linux; Heddle abc:\n\n| work |", text)
        self.assertEqual(re.findall(r"^\| ([^|]+) \| 2", readme, re.M), save.CHOSEN)

    def test_the_chosen_rows_alone_go_into_the_readme(self):
        reasons, readme, table, names = self.saved(self.chosen(), save.chosen_patterns())
        self.assertEqual((reasons, names), ([], ["-readme.json", "-readme.md"]))
        self.assertIn("| work |", readme)
        self.assertIn("old", table)

    def test_any_other_run_goes_into_no_table(self):
        for rows, mcpu, name, stem in [(["linear"], None, "", ""), ([], "x86-64-v3", "", "-x86-64-v3"),
                                       ([], None, "again", "-again"), (save.chosen_patterns(), None, "x", "-readme-x")]:
            reasons, readme, table, names = self.saved(self.chosen(), rows, mcpu, name)
            self.assertEqual((reasons, names), ([], [stem + ".json", stem + ".md"]))
            self.assertIn("old", readme)
            self.assertIn("old", table)

    def test_no_doubtful_row_goes_into_the_readme(self):
        records = self.chosen()
        records[3]["foreign"] = 0.25
        records[-1] |= record(save.CHOSEN[-1], 2, heddle="refused", onnx_runtime=1e-3)
        reasons, readme, table, _ = self.saved([r for r in records if r["row"] != save.CHOSEN[4]])
        self.assertEqual(reasons, [f"{save.CHOSEN[4]} was not measured",
                                   f"{save.CHOSEN[3]}, 1 thread: other processes used 25% of the CPUs",
                                   f"{save.CHOSEN[-1]}, 2 threads: there is no ratio"])
        self.assertIn("old", readme)
        self.assertIn("| work |", table)


if __name__ == "__main__":
    unittest.main()
