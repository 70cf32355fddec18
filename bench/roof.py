"""The measured roofs of this machine: f32 multiply-adds a second, and bytes copied a second."""
import ctypes
import time

import numpy as np

COPIED = 256 << 20  # bytes: beyond the caches


def best(measure, seconds):
    """The highest rate that `measure` returns within this time."""
    measure()  # the first run pays for pages and for waking up
    end, rate = time.perf_counter() + seconds, 0.0
    while time.perf_counter() < end:
        rate = max(rate, measure())
    return rate


def measure(runtime, threads, executor, wide, seconds=0.5):
    """FLOP/s with vectors of 512 bits (wide) or 256, and bytes/s read and written by a copy."""
    library = ctypes.CDLL(runtime)
    library.heddle_bench_fma.restype = ctypes.c_double
    library.heddle_bench_fma.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    library.heddle_bench_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_size_t] * 2, ctypes.c_void_p]
    source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)

    def arithmetic():
        start = time.perf_counter()
        done = library.heddle_bench_fma(wide, 200_000, threads, executor)
        return done / (time.perf_counter() - start)

    def copy():
        start = time.perf_counter()
        library.heddle_bench_copy(target.ctypes.data, source.ctypes.data, COPIED, threads * 8, executor)
        return 2 * COPIED / (time.perf_counter() - start)
    return {"flops": best(arithmetic, seconds), "copy": best(copy, seconds)}
