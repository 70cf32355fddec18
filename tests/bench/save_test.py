"""What bench/compare.py --save writes. usage: save_test.py"""
import pathlib
import tempfile
import unittest

import save


class Save(unittest.TestCase):
    def test_the_table_goes_between_the_markers(self):
        before, after = save.TABLE.sub(lambda m: m[1] + "@\n" + m[2], save.README.read_text()).split("\n@\n")
        self.assertTrue(before.endswith("writes this table -->"))
        self.assertTrue(after.startswith("<!-- end of the table -->"))

    def test_machine_and_versions(self):
        machine = {"cpu": "Some CPU", "family": "1", "model": "2", "features": ["avx2"], "caches": {"L1": 32768},
                   "cpus": 2, "system": "Linux"}
        self.assertEqual(save.describe(machine, {"torch": "2"}, "abc", None), "Some CPU (family 1 model 2, avx2; "
                         "L1 32 KiB), 2 CPUs, Linux. torch 2. Heddle abc.\n")
        self.assertIn("compiled for x86-64-v3", save.describe(machine, {}, "abc", "x86-64-v3"))

    def test_roofs(self):
        self.assertEqual(save.roofs([{"threads": 2, "roofs": {"flops": 200e9, "copy": 25e9}}]),
                         "Measured on 2 threads: 200 GFLOP/s, copy 25.0 GB/s read and written.\n")

    def test_only_a_run_of_all_rows_goes_into_the_readme(self):
        result = {"machine": {"cpu": "c", "family": "1", "model": "2", "features": [], "caches": {}, "cpus": 2,
                              "system": "Linux"}, "versions": {}, "heddle": "abc", "records": []}
        table = "<!-- bench/compare.py --save writes this table -->\nold\n<!-- end of the table -->"
        kept = save.RESULTS, save.README
        try:
            with tempfile.TemporaryDirectory() as folder:
                save.RESULTS, save.README = pathlib.Path(folder) / "results", pathlib.Path(folder) / "README.md"
                save.README.write_text(table)
                for rows, mcpu, name in [(["linear"], None, ""), ([], "x86-64-v3", ""), ([], None, "again")]:
                    save.save(result | {"rows": rows, "mcpu": mcpu}, name)
                    self.assertEqual(save.README.read_text(), table)
                save.save(result | {"rows": [], "mcpu": None})
                self.assertIn("| work |", save.README.read_text())
                names = sorted(path.name[10:] for path in save.RESULTS.iterdir())  # after the date
                self.assertEqual(names, ["-again.json", "-again.md", "-x86-64-v3.json", "-x86-64-v3.md", ".json", ".md"])
        finally:
            save.RESULTS, save.README = kept


if __name__ == "__main__":
    unittest.main()
