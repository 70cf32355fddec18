"""Tests that bench/compare.py continues after a peer, such as PyTorch, has crashed the process.

usage: progress_test.py
"""
import os
import tempfile
import unittest

import progress


class ProgressTest(unittest.TestCase):
    def test_the_next_process_continues_without_the_peer_that_crashed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "progress.json")
            first = progress.Progress(path)
            self.assertTrue(first.trying("a", "heddle"))
            first.finish("a")
            self.assertTrue(first.trying("b", "heddle"))
            self.assertTrue(first.trying("b", "peer"))  # the process crashes here
            second = progress.Progress(path)
            self.assertEqual(second.finished, ["a"])
            self.assertTrue(second.trying("b", "heddle"))
            self.assertFalse(second.trying("b", "peer"))
            second.finish("b")
            self.assertEqual(progress.Progress(path).finished, ["a", "b"])
            self.assertFalse(progress.Progress(path).trying("b", "peer"))

    def test_the_interrupted_pair(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "progress.json")
            self.assertIsNone(progress.interrupted(path))
            state = progress.Progress(path)
            self.assertIsNone(progress.interrupted(path))
            for contestant in ("heddle", "peer", "heddle"):
                state.trying("a", contestant)
                self.assertEqual(progress.interrupted(path), ["a", contestant])
            state.finish("a")
            self.assertIsNone(progress.interrupted(path))


if __name__ == "__main__":
    unittest.main()
