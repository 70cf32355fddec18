"""The ways (forms) in which ONNX files store quantised layers. Each function adds a form and its expected results to a
Graph, `g`.

`rows` is the shape of the input without its last dimension, and [K, N] is the shape of the weight. The other arguments
select variations of the form.
"""
import functools

import numpy as np
from onnx import TensorProto

import meaning
from graph import MICROSOFT


def with_odd_scales(form, odd):
    """Returns a form like `form`, in which some scales are elements of the list `odd`: numbers that no tool writes,
    such as NaN."""
    @functools.wraps(form)
    def changed(g, *arguments, **how):
        g.odd = odd
        with np.errstate(invalid="ignore"):
            form(g, *arguments, **how)
        g.odd = []
    return changed


def _zeros(g, dtype, zero, *shape):
    """Returns zero points: None if the file has none, zeros, or random numbers. `zero` is None, "zeros" or "any"."""
    return None if zero is None else g.integers(dtype, *shape) if zero == "any" else np.zeros(shape, dtype)


def _or_zero(zeros):
    """Returns `zeros`, or 0 if there are no zero points."""
    return 0 if zeros is None else zeros


def _rounded_rows(g, rows, k):
    """Returns random input rows, these rows rounded as by DynamicQuantizeLinear, and for each rounded element
    (integer - zero point) * scale the sum of the magnitudes of both terms."""
    x = g.rows(*rows, k)
    q, step, zero = meaning.dynamic(x)
    return x, (q - zero) * step, (q + zero) * step


def dynamic_product(g, rows, k, n, dtype=np.int8, columns=False, zero="zeros", bias=False, swapped=False):
    """Adds the nodes around MatMulInteger that quantize_dynamic, a tool of ONNX Runtime, writes. `columns` means one
    scale for each column of the weight. `swapped` exchanges the operands of products and sums."""
    x, real, terms = _rounded_rows(g, rows, k)
    weight, of = g.integers(dtype, k, n), (n,) if columns else ()
    scales, zeros = g.scales(*of), _zeros(g, dtype, zero, *of)
    g.input("x", x)
    g.constant("w", weight)
    g.constant("ws", scales)
    g.node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"])
    operands = ["xq", "w", "xz"] + ([] if zeros is None else [g.constant("wz", zeros)])
    g.node("MatMulInteger", operands, "i")
    g.node("Cast", ["i"], "f", to=TensorProto.FLOAT)
    g.node("Mul", ["ws", "xs"] if swapped else ["xs", "ws"], "s")
    last = "m" if bias else "y"
    g.node("Mul", ["s", "f"] if swapped else ["f", "s"], last)
    b = g.floats(n) if bias else None
    if bias:
        g.constant("b", b)
        g.node("Add", ["b", "m"] if swapped else ["m", "b"], "y")
    g.output("y", *meaning.product(real, meaning.dequantized(weight, scales, _or_zero(zeros)), b, terms))


def runtime_product(g, rows, k, n, dtype=np.int8, columns=False, zero=None, bias=False, op="DynamicQuantizeMatMul"):
    """Adds an operator of ONNX Runtime that does the work of all nodes of dynamic_product (DynamicQuantizeMatMul), or
    of all nodes except DynamicQuantizeLinear (MatMulIntegerToFloat)."""
    x, real, terms = _rounded_rows(g, rows, k)
    weight, of = g.integers(dtype, k, n), (n,) if columns else ()
    scales, zeros, b = g.scales(*of), _zeros(g, dtype, zero, *of), g.floats(n) if bias else None
    g.input("x", x)
    g.constant("w", weight)
    g.constant("ws", scales)
    tail = ["" if zeros is None else g.constant("wz", zeros), g.constant("b", b) if bias else ""]
    if op == "MatMulIntegerToFloat":
        g.node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"])
        g.node(op, ["xq", "w", "xs", "ws", "xz", *tail], "y", MICROSOFT)
    else:
        g.node(op, ["x", "w", "ws", *tail], "y", MICROSOFT)
    g.output("y", *meaning.product(real, meaning.dequantized(weight, scales, _or_zero(zeros)), b, terms))


def _static_rows(g, rows, k, dtype):
    """Adds the nodes that round the input rows with one stored scale; the rounded rows are the value `d`. Returns the
    rounded rows, and for each of their elements (integer - zero point) * scale the sum of the magnitudes of both
    terms."""
    step, zero = g.scales(), g.integers(dtype)
    x = g.input("x", g.rows_of(step, *rows, k))
    g.constant("xs", step)
    g.constant("xz", zero)
    g.node("QuantizeLinear", [x, "xs", "xz"], "q")
    g.node("DequantizeLinear", ["q", "xs", "xz"], "d")
    q = meaning.rounded(g.inputs[g.name("x")], step, zero, dtype)
    return (q - zero) * np.float64(step), (np.abs(q) + abs(float(zero))) * np.float64(step)


def _weight(g, shape, dtype, bits, axis, zero, block):
    """Adds DequantizeLinear of a stored weight; its result is the value `v`. Returns the dequantized weight. If `axis`
    is None, there is a single scale."""
    weight = g.random.integers(-8, 8, shape) if bits == 4 and dtype == np.int8 else \
        g.random.integers(0, 16, shape) if bits == 4 else g.integers(dtype, *shape)
    of = () if axis is None else (shape[axis],)
    if block:
        of = [-(-size // block) if i == axis % 2 else size for i, size in enumerate(shape)]
    zeros = None if zero is None else np.zeros(of, dtype) if zero == "zeros" else \
        g.random.integers(-8 if dtype == np.int8 else 0, 8, of).astype(dtype)
    scales = g.scales(*of)
    store = (lambda name, array: g.constant4(name, array, dtype == np.int8)) if bits == 4 else g.constant
    store("w", weight if bits == 4 else weight.astype(dtype))
    operands = ["w", g.constant("ws", scales)] + ([] if zeros is None else [store("wz", zeros)])
    more = {} if axis is None else {"axis": axis}
    if block:
        more["block_size"] = block
    g.node("DequantizeLinear", operands, "v", **more)
    return meaning.dequantized(weight, scales, _or_zero(zeros), 1 if axis is None else axis % 2, block)


def stored_product(g, rows, k, n, dtype=np.int8, bits=8, axis=1, zero="any", block=0):
    """Adds DequantizeLinear of a weight, and the product of an input in floats with the dequantized weight."""
    x = g.floats(*rows, k)
    g.input("x", x)
    weight = _weight(g, (k, n), dtype, bits, axis, zero, block)
    g.node("MatMul", ["x", "v"], "y")
    g.output("y", *meaning.product(x, weight))


def static_product(g, rows, k, n, rows_dtype=np.uint8, dtype=np.int8, bits=8, axis=1, zero="zeros", block=0):
    """Adds QuantizeLinear and DequantizeLinear of the input, DequantizeLinear of the weight, and their product."""
    real, terms = _static_rows(g, rows, k, rows_dtype)
    weight = _weight(g, (k, n), dtype, bits, axis, zero, block)
    g.node("MatMul", ["d", "v"], "y")
    g.output("y", *meaning.product(real, weight, None, terms))


def gemm(g, rows, k, n, rows_dtype=np.uint8, dtype=np.int8, zero="zeros", transposed=True, bias=True, axis=0, **factors):
    """Like static_product, but with Gemm, whose bias is stored in integers of 32 bits. `factors` are alpha and beta."""
    real, terms = _static_rows(g, [int(np.prod(rows))], k, rows_dtype)
    weight = _weight(g, (n, k) if transposed else (k, n), dtype, 8, axis, zero, 0)
    operands, b, beta = ["d", "v"], None, factors.get("beta", 1.0)
    if bias:
        integers, step = g.random.integers(-5000, 5000, n).astype(np.int32), g.scales()
        operands.append(g.node("DequantizeLinear", [g.constant("b", integers), g.constant("bs", step)], "c"))
        b = integers * np.float64(step) * beta
    g.node("Gemm", operands, "y", transB=int(transposed), **factors)
    alpha = factors.get("alpha", 1.0)
    g.output("y", *meaning.product(real * alpha, weight.T if transposed else weight, b, terms * abs(alpha)))


def pair(g, rows, k, n, dtype=np.uint8, axis=None, block=0, zero=True):
    """Adds QuantizeLinear and DequantizeLinear of an input [.., k], with one scale, with one for each index of the last
    dimension, or with one for each block of a row."""
    of = () if axis is None else (k,)
    if block:
        of = (*rows, -(-k // block))
    step, zeros = g.scales(*of), g.integers(dtype, *of) if zero else None
    shape = (*rows, k)
    last = len(shape) - 1
    wide = meaning.along(step, last, shape, block)
    x = ((g.random.integers(-160, 160, shape) + 0.25) * wide).astype(np.float32)
    operands = [g.constant("s", step)] + ([g.constant("z", zeros)] if zero else [])
    more = {} if axis is None and not block else {"axis": -1 if axis is None else axis}
    if block:
        more["block_size"] = block
    g.node("QuantizeLinear", [g.input("x", x), *operands], "q", **more)
    g.node("DequantizeLinear", ["q", *operands], "y", **more)
    zeros = meaning.along(_or_zero(zeros), last, shape, block if zero else 0)
    q = meaning.rounded(x, wide.astype(np.float32), zeros, dtype if zero else np.uint8)
    g.output("y", (q - zeros) * wide, 4 * meaning.ROUNDING * np.abs((q - zeros) * wide) + 1e-37)


def rounded_weight(g, rows, k, n, dtype=np.int8):
    """Adds a product with a weight in floats that QuantizeLinear and DequantizeLinear round, as after
    quantisation-aware training."""
    x, step = g.floats(*rows, k), g.scales(n)
    weight = ((g.random.integers(-160, 160, (k, n)) + 0.25) * step).astype(np.float32)
    zeros = np.zeros(n, dtype)
    operands = [g.constant("s", step), g.constant("z", zeros)]
    g.node("QuantizeLinear", [g.constant("w", weight), *operands], "q", axis=1)
    g.node("DequantizeLinear", ["q", *operands], "v", axis=1)
    g.node("MatMul", [g.input("x", x), "v"], "y")
    g.output("y", *meaning.product(x, meaning.rounded(weight, step, 0, dtype) * step))


def nbits(g, rows, k, n, bits=4, block=16, zero=None, order=False, bias=False):
    """Adds MatMulNBits. `zero` is None, "packed" or "floats", the type of stored zero points. `order` adds g_idx, the
    group of each row of the weight."""
    x, blocks, middle = g.floats(*rows, k), -(-k // block), 2 ** (bits - 1)
    q = g.random.integers(0, 2 ** bits, (n, blocks * block))
    scales, b = g.scales(n, blocks), g.floats(n) if bias else None
    group = np.arange(k) // block
    if order:
        group = g.random.permutation(group)
    zeros = np.full((n, blocks), middle)
    operands = [g.input("x", x), "w", g.constant("ws", scales)]
    pack = lambda rows: np.stack([meaning.four_bits(row) for row in rows]) if bits == 4 else rows.astype(np.uint8)
    g.constant("w", pack(q).reshape(n, blocks, block * bits // 8))
    if zero == "packed":
        zeros = g.random.integers(0, 2 ** bits, (n, blocks))
        operands.append(g.constant("wz", pack(zeros)))
    elif zero == "floats":
        zeros = (g.random.random((n, blocks)) * 2 ** bits).astype(np.float32)
        operands.append(g.constant("wz", zeros))
    else:
        operands.append("")
    operands += [g.constant("g", group.astype(np.int32)) if order else "", g.constant("b", b) if bias else ""]
    while not operands[-1]:
        operands.pop()
    g.node("MatMulNBits", operands, "y", MICROSOFT, K=k, N=n, bits=bits, block_size=block)
    weight = ((q[:, :k] - zeros[:, group]) * scales.astype(np.float64)[:, group]).T
    terms = ((q[:, :k] + zeros[:, group]) * scales.astype(np.float64)[:, group]).T
    result, _ = meaning.product(x, weight, b)
    g.output("y", result, meaning.product(x, terms, b)[1])


def integers_product(g, rows, k, n, dtype=np.int8, columns=False, zero="zeros"):
    """Adds QLinearMatMul, whose operands and result are integers, between QuantizeLinear of the input and
    DequantizeLinear of the result."""
    real, _ = _static_rows(g, rows, k, np.uint8)
    weight, of = g.integers(dtype, k, n), (n,) if columns else ()
    scales, zeros = g.scales(*of), _zeros(g, dtype, zero, *of)
    result = real @ meaning.dequantized(weight, scales, zeros)
    step, offset = np.float32(np.abs(result).max() / 100 or 1), np.uint8(128)
    for _ in range(100): # Chooses a scale with which no result is close to a rounding boundary.
        if np.all(np.abs(result / step % 1 - 0.5) > 1e-4):
            break
        step *= np.float32(1.01)
    g.constant("w", weight)
    for name, value in (("ws", scales), ("wz", zeros), ("rs", step), ("rz", offset)):
        g.constant(name, value)
    g.node("QLinearMatMul", ["q", "xs", "xz", "w", "ws", "wz", "rs", "rz"], "r")
    g.node("DequantizeLinear", ["r", "rs", "rz"], "y")
    q = np.clip(np.rint(result / step) + offset, 0, 255)
    g.output("y", (q - offset) * np.float64(step), 4 * meaning.ROUNDING * 256 * step)
