"""peers.py: times torch on some of the sizes in cases.txt, for a comparison with the kit. It prints the time on the
device in microseconds. tf32 is off.

Each run uses other tensors than the previous run, so that large tensors do not stay in the cache. Each backend of
torch's scaled_dot_product_attention (SDPA) is measured separately.
"""
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

CACHE = 256 << 20  # bytes; larger than the caches of a GPU


def time(make, run):
    """Returns the median of 20 calls of `run` in microseconds, measured with CUDA events. `make` returns a new set of
    tensors for `run`."""
    first = make()
    bytes_ = sum(t.numel() * t.element_size() for t in first)
    sets = [first] + [make() for _ in range(min(8, math.ceil(CACHE / bytes_)))]
    for tensors in sets[:3]:
        run(*tensors)
    times = []
    for i in range(20):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run(*sets[i % len(sets)])
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * start.elapsed_time(end))
    return sorted(times)[10]


def random(*shape, dtype=torch.float32):
    return torch.rand(*shape, device="cuda", dtype=dtype) * 2 - 1


def main():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(f"device\t{torch.cuda.get_device_name()}\ttorch {torch.__version__}", flush=True)
    for dtype in (torch.float32, torch.bfloat16):
        kind = str(dtype).split(".")[1]
        for m, n, k in ((128, 1536, 384), (2048, 2048, 2048), (4096, 4096, 4096)):
            us = time(lambda: (random(m, k, dtype=dtype), random(k, n, dtype=dtype)), torch.matmul)
            print(f"linear {m}x{n}x{k}\t{kind}\t{us:.1f}\t{2e-6 * m * n * k / us:.1f} TFLOP/s", flush=True)
        for queries, keys in ((512, 512), (2048, 2048), (8192, 8192), (1, 4096)):
            for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
                try:
                    with sdpa_kernel(backend):
                        us = time(lambda: [random(1, 12, s, 64, dtype=dtype) for s in (queries, keys, keys)],
                                  torch.nn.functional.scaled_dot_product_attention)
                    print(f"attention {queries}x{keys}\t{kind}\t{backend.name}\t{us:.1f}", flush=True)
                except RuntimeError as error:
                    print(f"attention {queries}x{keys}\t{kind}\t{backend.name}\t"
                          f"not available: {str(error).splitlines()[0]}", flush=True)
        us = time(lambda: (random(65536, 1024, dtype=dtype),), lambda x: torch.softmax(x, -1))
        print(f"softmax 65536x1024\t{kind}\t{us:.1f}", flush=True)


if __name__ == "__main__":
    main()
