"""What bench/compare.py --save writes. usage: save_test.py"""
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


if __name__ == "__main__":
    unittest.main()
