"""Tests calls in a process that was forked after the runtime started threads. The child inherits the memory of the
thread pool but not its threads, so a call would wait forever if the child did not start threads of its own."""
import os
import unittest

import numpy as np

import heddle
import support
from support import rows


class Fork(support.Folder):
    def test_a_child_starts_its_own_threads(self):
        with support.softmax() as made:
            model = heddle.load(made.path, threads=2)
        x = rows(64)
        expected = model(x).out  # This call starts the threads of the pool.
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if np.array_equal(model(x).out, expected) else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        np.testing.assert_array_equal(model(x).out, expected)


if __name__ == "__main__":
    unittest.installHandler()
    support.main()
