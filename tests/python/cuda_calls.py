"""Tests of calls on a CUDA device use this file. The device is that of the fake driver (fake_framework.py)."""
import numpy as np

import heddle
import support
from fake_framework import driver


class CudaCalls(support.Folder):
    """A softmax that is compiled for CUDA, an input, and its result. After each test, the driver must have recorded no
    mistake of its caller."""

    @classmethod
    def setUpClass(cls):
        cls.model = heddle.compile("softmax rows=1..64 d=39", device="cuda")
        cls.x = support.rows(5)
        cls.expected = cls.model(cls.x).out

    def setUp(self):
        super().setUp()
        driver.calls()  # clears the log of calls

    def tearDown(self):
        self.assertEqual(driver.library.fake_mistake(), b"")

    def same(self, found):
        np.testing.assert_array_equal(found, self.expected)
