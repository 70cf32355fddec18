"""Writes tests/data/quantised: quantised ONNX files, each with inputs and the results of ONNX Runtime.

    python3 tests/data/make_quantised.py tests/data/quantised

Needs numpy, onnx, onnxruntime and safetensors. The files were written with onnx 1.23.2 and onnxruntime 1.31.1. Each
file contains one form of quantisation: graphs as quantize_dynamic writes them, QuantizeLinear and DequantizeLinear,
MatMulNBits, ONNX Runtime's integer attention, or operators whose inputs and results are integers. Most sizes are odd,
and K is often not a multiple of a block. ONNX Runtime runs without its optimizer, so that it executes each operator as
written. Inputs are not near the middle between two quantised values, where rounding errors of f32 could change the
result.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto as T, helper, numpy_helper
from safetensors.numpy import save_file

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(0)
MS = "com.microsoft"


def save(name, nodes, inputs, constants=(), opset=21):
    """Writes a folder with the model, its inputs, and its output `y`."""
    stored = [c if isinstance(c, onnx.TensorProto) else numpy_helper.from_array(c[1], c[0]) for c in constants]
    ports = [helper.make_tensor_value_info(k, T.FLOAT, v.shape) for k, v in inputs.items()]
    graph = helper.make_graph(nodes, name, ports, [helper.make_tensor_value_info("y", T.FLOAT, None)], stored)
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)])
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    result = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, inputs)
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    (target / "model.onnx").write_bytes(model.SerializeToString())
    save_file(inputs, target / "inputs.safetensors")
    save_file({"y": result[0]}, target / "expected.safetensors")


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def x(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def clear(values, per_row=False):
    """Changes elements that are near the middle between two neighbouring ui8 values. (Engines may round such elements
    differently.)"""
    axes = -1 if per_row else None
    for _ in range(20):
        low = np.minimum(values.min(axis=axes, keepdims=True), 0)
        step = (np.maximum(values.max(axis=axes, keepdims=True), 0) - low) / np.float32(255)
        off = np.abs(values / step - np.floor(values / step) - 0.5)
        if (off > 0.02).all():
            return values
        values = np.where(off > 0.02, values, values + np.float32(0.1) * step).astype(np.float32)
    raise RuntimeError("no input was found whose elements are far enough from rounding boundaries")


def integers(dtype, *shape):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def scales(*shape):
    return (rng.random(shape) * 0.02 + 0.005).astype(np.float32)


# Graphs as quantize_dynamic writes them: an activation has one scale for the whole tensor.
def dynamic(name, shape, n, dtype, columns, zero, bias=False, three=False):
    k = shape[-1]
    of = (n,) if columns else ()
    constants = [("w", integers(dtype, k, n)), ("ws", scales(*of))]
    names = ["xq", "w", "xz"]
    if zero:
        constants.append(("wz", integers(dtype, *of) if zero == "random" else np.zeros(of, dtype)))
        names.append("wz")
    nodes = [node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]), node("MatMulInteger", names, ["i"]),
             node("Cast", ["i"], ["f"], to=T.FLOAT), node("Mul", ["xs", "ws"], ["s"]),
             node("Mul", ["f", "s"], ["m" if bias else "y"])]
    if bias:
        constants.append(("b", x(n)))
        nodes.append(node("Add", ["m", "b"], ["y"]))
    save(name, nodes, {"x": clear(x(*shape))}, constants)


dynamic("dynamic-s8", (5, 13), 7, np.int8, False, "zeros")
dynamic("dynamic-u8", (5, 13), 7, np.uint8, False, "random")
dynamic("dynamic-s8-columns", (3, 37), 11, np.int8, True, "zeros", bias=True)
dynamic("dynamic-u8-columns", (1, 33), 5, np.uint8, True, "random")
dynamic("dynamic-batch", (2, 3, 21), 9, np.int8, True, "random", bias=True)
dynamic("dynamic-no-zero", (4, 20), 6, np.int8, False, None)
w = ("w", integers(np.int8, 13, 6))
q = node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"])
save("dynamic-shared", [q, *[node(op, ins, outs, **more) for op, ins, outs, more in [
    ("MatMulInteger", ["xq", "w", "xz"], ["i"], {}), ("MatMulInteger", ["xq", "v", "xz", "vz"], ["j"], {}),
    ("Cast", ["i"], ["fi"], {"to": T.FLOAT}), ("Cast", ["j"], ["fj"], {"to": T.FLOAT}), ("Mul", ["xs", "ws"], ["si"], {}),
    ("Mul", ["vs", "xs"], ["sj"], {}), ("Mul", ["si", "fi"], ["a"], {}), ("Mul", ["fj", "sj"], ["b"], {}),
    ("Add", ["a", "b"], ["y"], {})]]], {"x": clear(x(4, 13))},
    [w, ("ws", scales()), ("v", integers(np.uint8, 13, 6)), ("vs", scales(6)), ("vz", integers(np.uint8, 6))])
save("integers-alone", [q, node("MatMulInteger", ["xq", "w", "xz"], ["i"]), node("Cast", ["i"], ["y"], to=T.FLOAT)],
     {"x": clear(x(3, 13))}, [w])
save("dynamic-alone", [q, node("DequantizeLinear", ["xq", "xs", "xz"], ["y"])], {"x": clear(x(3, 5))})

# Operators of ONNX Runtime that replace several operators of a graph that quantize_dynamic writes.
for name, dtype, of, zero, bias in (("s8", np.int8, (), False, False), ("u8", np.uint8, (9,), True, True)):
    constants = [("w", integers(dtype, 19, 9)), ("ws", scales(*of))]
    tail = ["wz" if zero else "", "b" if bias else ""]
    constants += [("wz", integers(dtype, *of))] * zero + [("b", x(9))] * bias
    save(f"DynamicQuantizeMatMul-{name}", [node("DynamicQuantizeMatMul", ["x", "w", "ws", *tail], ["y"], domain=MS)],
         {"x": clear(x(2, 3, 19))}, constants)
    save(f"MatMulIntegerToFloat-{name}", [q, node("MatMulIntegerToFloat", ["xq", "w", "xs", "ws", "xz", *tail], ["y"], domain=MS)],
         {"x": clear(x(4, 19))}, constants)

# QuantizeLinear and DequantizeLinear.
for name, dtype, zero in (("u8", np.uint8, 117), ("s8", np.int8, -3)):
    values = np.array([[0.5, 1.5, -2.5, 0.2499], [1e9, -1e9, np.inf, -np.inf], [3e-39, 31.7, -31.9, 0.75]], np.float32)
    pair = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["y"])]
    save(f"pair-{name}", pair, {"x": values}, [("s", np.float32(0.25)), ("z", dtype(zero))])
    axis = [node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1), node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1)]
    save(f"pair-axis-{name}", axis, {"x": values}, [("s", scales(4)), ("z", integers(dtype, 4))])
    static = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"])]
    step = np.float32(0.03125)
    rows = ((np.round(x(2, 3, 23) / step) + 0.25) * step).astype(np.float32)
    save(f"qdq-{name}", static + [node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=1), node("MatMul", ["d", "v"], ["y"])],
         {"x": rows}, [("s", step), ("z", dtype(zero)), ("w", integers(np.int8, 23, 7)), ("ws", scales(7)), ("wz", np.zeros(7, np.int8))])
    save(f"qdq-gemm-{name}", static + [node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0), node("DequantizeLinear", ["b", "bs"], ["c"]),
                                       node("Gemm", ["d", "v", "c"], ["y"], transB=1)], {"x": rows[0]},
         [("s", step), ("z", dtype(zero)), ("w", integers(dtype, 7, 23)), ("ws", scales(7)), ("wz", integers(dtype, 7)),
          ("b", rng.integers(-500, 500, 7).astype(np.int32)), ("bs", np.float32(0.001))])
block = [node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1, block_size=3), node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1, block_size=3)]
save("pair-blocks", block, {"x": x(2, 7)}, [("s", scales(2, 3)), ("z", integers(np.uint8, 2, 3))])
save("weights-tensor", [node("DequantizeLinear", ["w", "ws", "wz"], ["v"]), node("MatMul", ["x", "v"], ["y"])], {"x": x(3, 17)},
     [("w", integers(np.uint8, 17, 5)), ("ws", scales()), ("wz", np.uint8(131))])
save("weights-blocks", [node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0, block_size=8), node("MatMul", ["x", "v"], ["y"])],
     {"x": x(3, 20)}, [("w", integers(np.int8, 20, 5)), ("ws", scales(3, 5)), ("wz", integers(np.int8, 3, 5))])
for kind, low in ((T.INT4, -8), (T.UINT4, 0)):
    four = lambda name, *shape: helper.make_tensor(name, kind, shape, rng.integers(low, low + 16, shape).flatten())
    save(f"weights-{T.DataType.Name(kind).lower()}", [node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=0, block_size=8),
         node("MatMul", ["x", "v"], ["y"])], {"x": x(3, 21)}, [four("w", 21, 5), ("ws", scales(3, 5)), four("wz", 3, 5)])
save("table", [node("Gather", ["w", "ids"], ["q"]), node("DequantizeLinear", ["q", "ws", "wz"], ["d"]), node("Add", ["d", "x"], ["y"])],
     {"x": x(4, 6)}, [("w", integers(np.uint8, 11, 6)), ("ids", np.array([3, 0, 10, 3])), ("ws", scales()), ("wz", np.uint8(97))])

# MatMulNBits: weights are [N, blocks, bytes]; the zero points of a row are padded to whole bytes.
for bits, size, k, n, zero, bias in ((4, 16, 40, 5, False, False), (4, 32, 70, 7, True, True), (4, 128, 130, 3, True, False),
                                     (8, 16, 33, 5, False, True), (8, 32, 64, 6, True, False), (4, 256, 100, 4, False, False)):
    blocks = -(-k // size)
    constants = [("w", integers(np.uint8, n, blocks, size * bits // 8)), ("ws", scales(n, blocks))]
    tail = ["wz" if zero else "", "", "b" if bias else ""]
    constants += [("wz", integers(np.uint8, n, -(-blocks * bits // 8)))] * zero + [("b", x(n))] * bias
    save(f"MatMulNBits-{bits}-{size}" + "-zeros" * zero, [node("MatMulNBits", ["x", "w", "ws", *tail], ["y"], domain=MS, K=k, N=n, bits=bits, block_size=size)],
         {"x": x(3, k)}, constants)
# MatMulNBits with rows of the weight in another order (g_idx; the last block is shorter), with zero points as floats,
# or with both. ONNX Runtime 1.31 ignores zero points in bytes if there is a g_idx, and uses 8 for all of them. The
# expected results of this case are therefore computed with the same zero points as floats.
order = rng.permutation(np.arange(60) // 16).astype(np.int32)
wx, wb, ws, halves = x(3, 60), integers(np.uint8, 5, 4, 8), scales(5, 4), integers(np.uint8, 5, 2)
given = {"zeros": halves, "float-zeros": np.stack([halves & 15, halves >> 4], -1).reshape(5, 4).astype(np.float32)}
for group, zero in ((True, None), (False, "float-zeros"), (True, "float-zeros"), (True, "zeros")):
    constants = [("w", wb), ("ws", ws)] + [("g", order)] * group + ([("wz", given[zero])] if zero else [])
    name = "MatMulNBits-4-16" + "-order" * group + (f"-{zero}" if zero else "")
    save(name, [node("MatMulNBits", ["x", "w", "ws", "wz" if zero else "", "g" if group else ""], ["y"],
         domain=MS, K=60, N=5, bits=4, block_size=16)], {"x": wx}, constants)
floats = folder / "MatMulNBits-4-16-order-float-zeros" / "expected.safetensors"
(folder / "MatMulNBits-4-16-order-zeros" / "expected.safetensors").write_bytes(floats.read_bytes())

# Integer attention with masks, with a past, and with one scale or a scale for each column.
def attention(name, hidden, heads, dtype, columns, zero, mask=None, past=None, **more):
    of, wide = (3 * hidden,) if columns else (), x(2, 3, hidden)
    constants = [("w", integers(dtype, hidden, 3 * hidden)), ("b", x(3 * hidden)), ("ws", scales(*of) * np.float32(0.1))]
    constants += [("wz", integers(dtype, *of))] * zero + ([("m", np.array(mask, np.int32))] if mask else [])
    inputs = {"x": clear(wide)}
    if past:
        inputs["p"] = x(2, 2, heads, past, hidden // heads)
    save(name, [q, node("QAttention", ["xq", "w", "b", "xs", "ws", "m" if mask else "", "xz", "wz" if zero else "", "p" if past else ""],
                        ["y", "now"] if past else ["y"], domain=MS, num_heads=heads, **more)], inputs, constants)


attention("QAttention", 6, 2, np.int8, False, False)
attention("QAttention-mask", 10, 2, np.uint8, False, True, mask=[[1, 1, 0], [1, 1, 1]])
attention("QAttention-causal", 12, 3, np.int8, True, False, unidirectional=1)
attention("QAttention-past", 8, 2, np.int8, False, True, past=2, unidirectional=1)

# Operators whose inputs and results are integers. With these inputs, no result is near the middle between two values.
pair = lambda to: [node("QuantizeLinear", ["x", "s", "z"], ["q"]), *to, node("DequantizeLinear", ["r", "rs", "rz"], ["y"])]
step, ends = np.float32(0.03125), [("rs", np.float32(0.2371)), ("rz", np.uint8(131))]
rows = ((np.round(x(4, 23) / step) + 0.25) * step).astype(np.float32)
sides = [("s", step), ("z", np.uint8(117)), ("w", integers(np.int8, 23, 7)), ("ws", scales(7)), ("wz", np.zeros(7, np.int8))]
save("QLinearMatMul", pair([node("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "rs", "rz"], ["r"])]), {"x": rows}, sides + ends)
names = ["q", "s", "z", "w", "ws", "wz", "c"]
sides = sides[:2] + [("w", integers(np.int8, 7, 23)), ("ws", scales(7)), ("wz", np.zeros(7, np.int8)), ("c", rng.integers(-500, 500, 7).astype(np.int32))]
gemm = lambda *result, **more: node("QGemm", names + list(result), ["r" if result else "y"], domain=MS, transB=1, **more)
save("QGemm", pair([gemm("rs", "rz")]), {"x": rows}, sides + ends)
save("QGemm-floats", [pair([])[0], gemm(alpha=0.5)], {"x": rows}, sides)
other = [("w", integers(np.uint8, 23)), ("ws", scales()), ("wz", np.uint8(99))]
for op in ("Add", "Mul"):
    save(f"QLinear{op}", pair([node(f"QLinear{op}", ["q", "s", "z", "w", "ws", "wz", "rs", "rz"], ["r"], domain=MS)]), {"x": rows},
         [("s", step), ("z", np.uint8(117))] + other + ends)
