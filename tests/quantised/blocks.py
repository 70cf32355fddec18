#!/usr/bin/env python3
"""blocks.py HEDDLE SEED COUNT: verifies COUNT models with weights in formats of blocks.

A model has a layer for each format. The weight of a layer consists of blocks in this format of GGUF files, and rows of
the layer's input are rounded in blocks of 32 elements (--precision int8-block). Results are compared with those of
numpy in f64. Successive models have all pairs of a CPU and a range of the number of rows. Numbers of inputs, outputs
and rows, and elements, are random; some blocks of weights and of rows have extreme values. The script does not use
Heddle's definition of formats.
"""
import itertools
import pathlib
import random
import struct
import sys
import tempfile

import numpy as np

import heddle
import tensors

# Tables of the formats IQ4_NL and MXFP4.
IQ4_NL = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])
MXFP4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12])

# The CPUs for which code is compiled, and ranges of the number of rows. Matrix instructions need 128 rows.
CPUS = ["native", "x86-64-v3", "x86-64-v2"]
ROWS = [(1, 1), (2, 9), (128, 140)]


def halves(block):
    """Returns the numbers in the halves of bytes: first those in the lower 4 bits, then those in the upper 4 bits."""
    return np.concatenate([block & 15, block >> 4]).astype(np.int64)


def f16(data):
    return float(np.frombuffer(bytes(data), np.float16)[0])


def bit5(block, at):
    """Returns the fifth bits of 32 numbers, which are stored in 4 bytes, as multiples of 16."""
    word = struct.unpack("<I", bytes(block[at:at + 4]))[0]
    return np.array([(word >> i & 1) * 16 for i in range(32)])


def six(block, at):
    """Returns eight scales and eight minima of 6 bits, which Q4_K and Q5_K store in 12 bytes."""
    q = block[at:at + 12].astype(np.int64)
    low, high = q[8:] & 15, q[8:] >> 4
    return (np.concatenate([q[:4] & 63, low | (q[:4] >> 6) << 4]),
            np.concatenate([q[4:8] & 63, high | (q[4:8] >> 6) << 4]))


def pairs_of_halves(block):
    """Returns the codes in the halves of bytes: for each 32 bytes, first the lower and then the upper 4 bits."""
    return np.concatenate([halves(block[at:at + 32]) for at in range(0, len(block), 32)])


def q4_k(block):
    scales, minima = six(block, 4)
    codes = pairs_of_halves(block[16:144])
    return np.repeat(f16(block[:2]) * scales, 32) * codes - np.repeat(f16(block[2:4]) * minima, 32)


def q5_k(block):
    scales, minima = six(block, 4)
    codes = pairs_of_halves(block[48:176])
    fifth = np.concatenate([(block[16:48] >> bit & 1) * 16 for bit in range(8)])
    return np.repeat(f16(block[:2]) * scales, 32) * (codes + fifth) - np.repeat(f16(block[2:4]) * minima, 32)


def q6_k(block):
    low, high, scales = block[:128].astype(np.int64), block[128:192].astype(np.int64), block[192:208].view(np.int8)
    codes = []
    for half in range(2):
        l, h = low[64 * half:64 * half + 64], high[32 * half:32 * half + 32]
        codes += [(l[:32] & 15) | (h & 3) << 4, (l[32:] & 15) | (h >> 2 & 3) << 4, (l[:32] >> 4) | (h >> 4 & 3) << 4,
                  (l[32:] >> 4) | (h >> 6) << 4]
    return f16(block[208:]) * np.repeat(scales.astype(np.int64), 16) * (np.concatenate(codes) - 32)


# For each format: the bytes of a block, the positions of f16 numbers in it, and its values. A block has 256 elements if
# the name of the format ends with K, and 32 otherwise.
FORMATS = {
    "q4_0": (18, [0], lambda b: f16(b[:2]) * (halves(b[2:]) - 8)),
    "q4_1": (20, [0, 2], lambda b: f16(b[:2]) * halves(b[4:]) + f16(b[2:4])),
    "q5_0": (22, [0], lambda b: f16(b[:2]) * (halves(b[6:]) + bit5(b, 2) - 16)),
    "q5_1": (24, [0, 2], lambda b: f16(b[:2]) * (halves(b[8:]) + bit5(b, 4)) + f16(b[2:4])),
    "q8_0": (34, [0], lambda b: f16(b[:2]) * b[2:].view(np.int8).astype(np.int64)),
    "iq4_nl": (18, [0], lambda b: f16(b[:2]) * IQ4_NL[halves(b[2:])]),
    "q4_K": (144, [0, 2], q4_k),
    "q5_K": (176, [0, 2], q5_k),
    "q6_K": (210, [208], q6_k),
    "mxfp4": (17, [], lambda b: 2.0 ** (int(b[0]) - 128) * MXFP4[halves(b[1:])]),
}


def weights(name, outputs, inputs, rng):
    """Returns a random weight in a format as bytes [outputs, ...], and its values [outputs, inputs]. Some blocks,
    including the first one of each output, consist of equal bytes, with which codes of 4 bits are extreme."""
    size, floats, values = FORMATS[name]
    blocks = rng.integers(0, 256, (outputs * inputs // (256 if name.endswith("K") else 32), size), dtype=np.uint8)
    extreme = rng.random(len(blocks)) < 0.25
    extreme[::len(blocks) // outputs] = True
    blocks[extreme] = np.resize(np.array([0, 0xff, 0x77, 0x80, 0x7f], np.uint8), (extreme.sum(), 1))
    for at in floats:
        scales = (rng.random(len(blocks)) - 0.5).astype(np.float16)
        blocks[:, at:at + 2] = scales.view(np.uint8).reshape(-1, 2)
    if name == "mxfp4":
        blocks[:, 0] = rng.integers(120, 132, len(blocks))
    numbers = np.array([values(block) for block in blocks], np.float64)
    return blocks.reshape(outputs, -1), numbers.reshape(outputs, inputs)


def rounded(x):
    """Returns rows rounded to unsigned bytes with a scale and a zero point for each block of 32 elements."""
    blocks = x.reshape(-1, 32).astype(np.float32)
    low, high = np.minimum(blocks.min(1), 0), np.maximum(blocks.max(1), 0)
    scale = (np.maximum(high - low, np.float32(2.0 ** -100)) / np.float32(255)).astype(np.float32)
    zero = np.rint(-low / scale)
    # Elements are multiplied by the inverse of the scale; inputs near rounding boundaries are avoided (inputs()).
    q = np.clip(np.rint(blocks / scale[:, None]) + zero[:, None], 0, 255)
    return ((q - zero[:, None]).astype(np.float64) * scale[:, None].astype(np.float64)).reshape(x.shape)


def inputs(rows, count, rng):
    """Returns random rows whose elements are not near rounding boundaries: each is a multiple of its block's scale, up
    to an eighth of the scale. All elements of some blocks are equal. In the first block of each row, they are
    rounded to 255, which results in the largest sums of products."""
    blocks = rows * count // 32
    zero = rng.integers(0, 256, (blocks, 1))
    q = rng.integers(0, 256, (blocks, 32))
    q[:, 0], q[:, 1] = 0, 255
    scale = 2.0 ** rng.integers(-12, 3, (blocks, 1)) * (1 + rng.random((blocks, 1)))
    x = (q - zero) * scale + (rng.random((blocks, 32)) - 0.5) / 4 * scale * ((q > 0) & (q < 255))
    equal = rng.random(blocks) < 0.25
    x[equal] = rng.choice([1, -1], (equal.sum(), 1)) * scale[equal]
    x[::count // 32] = scale[::count // 32]
    return x.reshape(rows, count).astype(np.float32)


def layer(name, rows, count, outputs):
    """Returns the MLIR of the argument, of the result and of the operations of a layer."""
    width = count // (256 if name.endswith("K") else 32) * FORMATS[name][0]
    x, w, y = f"tensor<{rows}x{count}xf32>", f"tensor<{count}x{outputs}xf32>", f"tensor<{rows}x{outputs}xf32>"
    return (f'%x_{name}: {x} {{heddle.name = "{name}"}}', f'{y} {{heddle.name = "y_{name}"}}',
            f"""    %b_{name} = heddle.weight "{name}" : tensor<{outputs}x{width}xi8>
    %w_{name} = heddle.dequantize %b_{name} format(#heddle.{name}) transposed : tensor<{outputs}x{width}xi8> -> {w}
    %y_{name} = heddle.linear %x_{name}, %w_{name} : ({x}, {w}) -> {y}
""")


def test(program, rows, cpu, draw, rng, folder):
    """Compiles and runs a model. Returns a list of texts that describe wrong results."""
    layers, stored, numbers, given = [], {}, {}, {}
    for name in FORMATS:
        count = 256 * draw.randint(1, 3) if name.endswith("K") else 32 * draw.randint(1, 9)
        outputs = draw.randint(1, 150)
        layers.append(layer(name, rows, count, outputs))
        data, numbers[name] = weights(name, outputs, count, rng)
        stored[name], given[name] = data.view(np.int8), inputs(rows, count, rng)
    (folder / "w.safetensors").write_bytes(tensors.encode(stored))
    arguments, results, operations = zip(*layers)
    values, types = ", ".join("%y_" + name for name in FORMATS), ", ".join(result.split()[0] for result in results)
    (folder / "model.mlir").write_text(f"""module attributes {{heddle.weight_files = ["{folder}/w.safetensors"]}} {{
  func.func @main({", ".join(arguments)}) -> ({", ".join(results)}) {{
{"".join(operations)}    return {values} : {types}
  }}
}}
""")
    options = ["--precision", "int8-block", "--mcpu", cpu]
    found = heddle.run(program, folder / "model.mlir", given, folder, *options)
    problems = []
    for name in FORMATS:
        x, y = rounded(given[name]), found["y_" + name]
        expected = x @ numbers[name].T
        bound = (x.shape[1] / 32 + 8) * 2.0 ** -22 * (np.abs(x) @ np.abs(numbers[name]).T) + 1e-30
        wrong = ~(np.abs(y - expected) <= bound)
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            problems.append(f"{name}, {x.shape[0]} x {x.shape[1]} x {y.shape[1]}: {wrong.sum()} of {wrong.size} wrong, "
                            f"at {at}: {y[at]}, expected {expected[at]} +- {bound[at]:.2g}")
    return problems


def main():
    program, seed, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failed = 0
    pairs = list(itertools.product(ROWS, CPUS))
    with tempfile.TemporaryDirectory() as folder:
        for one in range(seed, seed + number):
            rng, draw = np.random.default_rng(one), random.Random(one)
            between, cpu = pairs[one % len(pairs)]
            rows = draw.randint(*between)
            try:
                problems = test(program, rows, cpu, draw, rng, pathlib.Path(folder))
            except (heddle.Refused, heddle.Crash) as error:
                problems = [f"{type(error).__name__}: {error}"]
            failed += bool(problems)
            for problem in problems:
                print(f"seed {one}: {cpu}, {rows} rows: {problem}")
    print(f"{number} models, {failed} failed")
    sys.exit(failed > 0)


main()
