"""Writes blocks of ggml's formats, and the numbers for which they stand:

    python3 tests/data/make_formats.py tests/data/gguf/formats.safetensors

gguf 0.19.0, the package of llama.cpp, computed the numbers. The blocks consist of random bytes, so all codes occur, but
for f16 numbers, which are finite. Tensor `NAME` contains the bytes of the format's blocks, a row for each block, and
`NAME.numbers` contains a row of numbers for each block.
"""

import sys

import gguf
import numpy
from safetensors.numpy import save_file

Type = gguf.GGMLQuantizationType
# By format: the offsets of f16 numbers in a block.
HALVES = {Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0], Type.IQ4_NL: [0],
          Type.MXFP4: [], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208]}


def random_blocks(kind, numbers, random, step):
    """Returns the blocks of as many numbers. f16 numbers are normally distributed with the deviation `step`."""
    length, size = gguf.GGML_QUANT_SIZES[kind]
    rows = random.integers(0, 256, (numbers // length, size), dtype=numpy.uint8)
    for offset in HALVES[kind]:
        halves = (random.standard_normal(len(rows)) * step).astype(numpy.float16)
        rows[:, offset:offset + 2] = halves.view(numpy.uint8).reshape(-1, 2)
    if kind == Type.MXFP4:
        rows[:, 0] = 128 + numpy.log2(step).astype(int)
    return rows


def edge_blocks(kind, random):
    """Returns blocks with all codes, and with the largest, the smallest and zero f16 numbers."""
    rows = random_blocks(kind, 1024, random, 1)
    if kind == Type.Q8_0:
        rows[:8, 2:] = numpy.arange(256, dtype=numpy.uint8).reshape(8, 32)
    if kind == Type.MXFP4:  # also the exponents of denormal numbers; larger exponents stand for numbers beyond f32
        rows[:, 0] = random.integers(0, 250, len(rows))
        rows[:4, 0] = [0, 1, 2, 250]
    for offset in HALVES[kind]:
        rows[:3, offset:offset + 2] = numpy.array([65504, 2.0**-24, 0], numpy.float16).view(numpy.uint8).reshape(-1, 2)
    return rows


if __name__ == "__main__":
    tensors, random = {}, numpy.random.default_rng(1)
    for kind in HALVES:
        rows = edge_blocks(kind, random)
        tensors[kind.name] = rows.view(numpy.int8)
        tensors[kind.name + ".numbers"] = gguf.dequantize(rows, kind).astype(numpy.float32)
    save_file(tensors, sys.argv[1])
