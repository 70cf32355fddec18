"""Tests that bench/worker.py records which contestant (Heddle or a peer, such as PyTorch) is prepared or timed.

usage: worker_test.py
"""
import argparse
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

# The module rows needs torch. An empty module replaces it, because the test makes its own rows.
sys.modules["rows"] = types.ModuleType("rows")
import progress  # noqa: E402
import worker  # noqa: E402


class Contestant:
    """Each call adds an entry to `calls`: the name of this contestant, and the row and the contestant that the progress
    file names."""
    loop, facts = None, {}

    def __init__(self, name, path, calls):
        self.call = lambda: calls.add((name, *progress.interrupted(path)))

    def outputs(self):
        return {}


class Worker(unittest.TestCase):
    def test_who_is_prepared_and_timed_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path, calls = os.path.join(folder, "progress.json"), set()
            state = progress.Progress(path)
            work = mock.Mock(expected={}, least_cosine=None, roof=None, memory=None)
            work.flops.return_value = work.moved.return_value = 0
            row = mock.Mock(title="row", work=work, peers=["p", "q"], cold=False, microseconds=None)
            row.target.return_value = None
            arguments = argparse.Namespace(heddle="", runtime="", threads=1, duration=0.01)
            peers = {f"peers.{name}": mock.Mock(prepare=lambda *_, name=name: Contestant(name, path, calls))
                     for name in "pq"}
            with mock.patch.dict(sys.modules, peers), \
                    mock.patch.object(worker.heddle, "prepare", lambda *_: Contestant("heddle", path, calls)):
                contestants, record = worker.prepare(row, 1, arguments, state)
                self.assertEqual(list(contestants), ["heddle", "p", "q"])
                expected = {(name, "row", name) for name in contestants}
                self.assertEqual(calls, expected)
                calls.clear()
                result = worker.compare(row, contestants, record, {}, arguments, state)
            self.assertEqual(calls, expected)
            timed = {name for name, times in result["results"].items() if times["median"] > 0}
            self.assertEqual(timed, set(contestants))


if __name__ == "__main__":
    unittest.main()
