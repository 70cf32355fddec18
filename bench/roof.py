"""Measures the roofs of this machine: multiply-adds of f32, bytes and bf16, and bytes copied or read, per second."""
import ctypes
import time

import numpy as np

import environment

COPIED = 256 << 20  # bytes; larger than the caches


def best(measure, seconds):
    """Calls `measure` for the given number of seconds and returns the highest rate that it returned."""
    measure()  # the first run includes page faults and waking up threads
    end, rate = time.perf_counter() + seconds, 0.0
    while time.perf_counter() < end:
        rate = max(rate, measure())
    return rate


def instructions(flags, wide):
    """Returns, for each roof's name, the kind of arithmetic for heddle_bench_fma (see roof.c): f32 in vectors of 512
    bits (wide) or 256 bits and, if wide, the low-precision instructions that the processor supports. flags: the flags
    in /proc/cpuinfo."""
    kinds = {"flops": 1 if wide else 0}
    if wide and "avx512_vnni" in flags:
        kinds["int8"] = 2
    if wide and "avx512_bf16" in flags:
        kinds["bf16"] = 3
    return kinds


def measure(runtime, threads, executor, wide, seconds=0.5):
    """Returns operations per second for each supported kind, bytes per second of a copy (those read and those written),
    and bytes per second of reading. Each rate is the highest one that is reached within `seconds`."""
    library = ctypes.CDLL(runtime)
    library.heddle_bench_fma.restype = ctypes.c_double
    library.heddle_bench_fma.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    library.heddle_bench_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_size_t] * 2, ctypes.c_void_p]
    library.heddle_bench_read.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] * 2, ctypes.c_void_p]
    source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)

    def arithmetic(kind):
        start = time.perf_counter()
        done = library.heddle_bench_fma(kind, 200_000, threads, executor)
        return done / (time.perf_counter() - start)

    def copy():
        start = time.perf_counter()
        library.heddle_bench_copy(target.ctypes.data, source.ctypes.data, COPIED, threads * 8, executor)
        return 2 * COPIED / (time.perf_counter() - start)

    def read():
        start = time.perf_counter()
        library.heddle_bench_read(source.ctypes.data, COPIED, threads * 8, executor)
        return COPIED / (time.perf_counter() - start)
    kinds = instructions(environment.cpu_field("flags").split(), wide)
    rates = {name: best(lambda: arithmetic(kind), seconds) for name, kind in kinds.items()}
    return rates | {"copy": best(copy, seconds), "read": best(read, seconds)}
