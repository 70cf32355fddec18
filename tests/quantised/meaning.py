"""The operators of ONNX for quantisation in numpy. They are written from the documentation of ONNX and ONNX Runtime and
do not use heddle, whose results are compared with theirs.

Numbers are quantised in f32, as by the operators. All else is computed in f64, where integers and their products are
exact. Scales are f32 numbers, as in the files.
"""
import numpy as np

ROUNDING = 2.0 ** -24 # the largest relative rounding error of f32


def rounded(x, scale, zero, dtype):
    """Computes QuantizeLinear for integers of the type `dtype`."""
    limits = np.iinfo(dtype)
    q = np.rint(x / np.float32(scale)) + np.asarray(zero, np.float32)
    return np.clip(q, limits.min, limits.max).astype(np.float64)


def dynamic(x):
    """Computes DynamicQuantizeLinear; returns integers, scale and zero point."""
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = np.float32((high - low) / np.float32(255)) or np.float32(1)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return rounded(x, scale, zero, np.uint8), np.float64(scale), np.float64(zero)


def along(values, axis, shape, block=0):
    """Returns scales or zero points, broadcast to a tensor of this shape. `values` is one number for all elements, one
    for each index of `axis`, or, if `block` is not 0, one for each `block` indices of this axis."""
    values = np.asarray(values, np.float64)
    if block:
        return np.take(values, np.arange(shape[axis]) // block, axis)
    if values.size == 1:
        return np.full(shape, values.reshape(()))
    return np.broadcast_to(values.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))]), shape)


def dequantized(integers, scales, zeros=0, axis=1, block=0):
    """Computes DequantizeLinear. `axis` and `block` are those of `along`."""
    shape = integers.shape
    zeros = along(zeros, axis, shape, 0 if np.ndim(zeros) == 0 else block)
    return (integers.astype(np.float64) - zeros) * along(scales, axis, shape, block)


def product(rows, weight, bias=None, terms=None):
    """Returns rows x weight + bias, and a bound for the error of a computation in f32: for rows of K numbers, K
    products and their sum, where each rounding error is at most 2^-24 of the number that is rounded. `terms` contains
    the magnitudes of the elements of `rows` before zero points are subtracted; if it is None, these are the magnitudes
    of `rows`."""
    rows, weight = np.asarray(rows, np.float64), np.asarray(weight, np.float64)
    result = rows @ weight
    size = np.abs(rows if terms is None else terms) @ np.abs(weight)
    if bias is not None:
        result, size = result + bias, size + np.abs(bias)
    return result, (weight.shape[-2] + 16) * ROUNDING * size + 1e-37


def four_bits(integers):
    """Packs pairs of 4-bit integers into bytes. The first integer of a pair is in the lower half. If the number of
    integers is odd, the upper half of the last byte is 0."""
    flat = np.asarray(integers).astype(np.int64).reshape(-1) & 15
    flat = np.concatenate([flat, np.zeros(len(flat) % 2, np.int64)])
    return (flat[0::2] | flat[1::2] << 4).astype(np.uint8)
