"""Tests heddle_bench_touch(), which reads other memory so that bench/compare.py can measure with cold caches.

usage: touch_test.py LIBRARY

LIBRARY is the path of libheddle_bench.so, which contains the function.
"""
import ctypes
import mmap
import os
import resource
import sys
import tempfile
import unittest

SIZE = 8 << 20


class Touch(unittest.TestCase):
    def test_all_memory_is_read_on_all_allowed_cpus_and_on_one(self):
        touch = ctypes.CDLL(LIBRARY).heddle_bench_touch
        touch.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        allowed = os.sched_getaffinity(0)
        for cpus in (allowed, {min(allowed)}):
            os.sched_setaffinity(0, cpus)
            with tempfile.TemporaryFile() as file:
                file.truncate(SIZE)
                memory = mmap.mmap(file.fileno(), SIZE, flags=mmap.MAP_PRIVATE)
                memory[0] = 0
                before = resource.getrusage(resource.RUSAGE_SELF)
                self.assertEqual(touch(ctypes.addressof(ctypes.c_char.from_buffer(memory)), SIZE), 0)
                after = resource.getrusage(resource.RUSAGE_SELF)
            faults = after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt
            self.assertGreaterEqual(faults, SIZE // mmap.PAGESIZE // 16)  # one fault maps up to 16 pages
            self.assertEqual(os.sched_getaffinity(0), cpus)  # the function does not change the caller's affinity
        os.sched_setaffinity(0, allowed)


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
