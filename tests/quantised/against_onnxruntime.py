"""against_onnxruntime.py HEDDLE [COUNT] > table: compares Heddle with ONNX Runtime. No test runs this script.

The script needs numpy, onnx and onnxruntime. Numpy, ONNX Runtime and heddle compute the cases of named.py and COUNT
random cases of sizes.py (400 by default), and the results are compared in pairs. On files that the tools of ONNX
Runtime quantised, heddle is compared with ONNX Runtime only.
"""
import collections
import logging
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

import forms
import heddle
import named
import sizes
import verification

onnxruntime.set_default_logger_severity(4)
logging.disable()


def runtime(data, inputs):
    """Returns the outputs of ONNX Runtime, or None if it does not support the model.

    The optimizer of ONNX Runtime is switched off, so that it does not combine operators.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        session = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])
        return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
    except Exception: # Errors of ONNX Runtime have no common type.
        return None


class Row:
    """A row of the table: the results for one form or for the files of one tool."""

    def __init__(self):
        self.cases = self.unknown = 0 # `unknown` counts cases that ONNX Runtime does not support
        # The largest differences, each divided by the error bound of its case: ONNX Runtime to numpy, heddle to numpy,
        # heddle to ONNX Runtime.
        self.off = [None] * 3

    def add(self, *off):
        """Replaces each difference in `self.off` by that of another case if the latter is larger; None is an unknown
        difference."""
        self.off = [max((x for x in pair if x is not None), default=None) for pair in zip(self.off, off)]

    def text(self, name):
        """Returns the row in Markdown."""
        off = " | ".join("-" if x is None else f"{x:.2g}" for x in self.off)
        return f"| {name} | {self.cases} | {self.unknown or ''} | {off} |"


def add_cases(program, rows):
    """Adds the cases of named.py and random cases of sizes.py to `rows`, which maps names of forms (the functions of
    onnx_forms.py) to rows of the table."""
    cases = [(opset, (name, forms.seed_of(name), *form)) for name, opset, *form in named.cases()]
    # Collects the random cases that `sizes.graphs` makes, without comparing them.
    collected = []
    kept = verification.verify_graphs
    verification.verify_graphs = lambda _, several, __: collected.extend(several) or []
    sizes.graphs(program, 7, int(sys.argv[2]) if len(sys.argv) > 2 else 400)
    verification.verify_graphs = kept
    for opset, case in cases + [(sizes.OPSET, case) for case in collected]:
        how = case[-1]
        name = case[2].__name__.replace("_", " ") + (" with g_idx" if how.get("order") else "")
        row = rows[name + (", zero points packed" if how.get("order") and how["zero"] == "packed" else "")]
        row.cases += 1
        graph = verification.graph_of([case])
        data = graph.model(opset).SerializeToString()
        (name, (expected, bound)), = graph.expected.items()
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/model.onnx", "wb") as file:
                file.write(data)
            found = heddle.run(program, folder + "/model.onnx", graph.inputs, folder)[name]
        off = lambda a, b: float(verification.distances(a, b.astype(np.float64), bound).max())
        peer = runtime(data, graph.inputs)
        row.unknown += peer is None
        row.add(off(peer[name], expected) if peer else None, off(found, expected), off(found, peer[name]) if peer else None)


def float_model(random, k, n, transposed, path):
    """Writes a linear layer of k inputs and n outputs in f32: a Gemm with a transposed weight, or a MatMul and an
    Add."""
    weight = random.standard_normal((n, k) if transposed else (k, n)).astype(np.float32)
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)] if transposed else \
        [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["y"])]
    stored = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(random.standard_normal(n).astype(np.float32), "b")]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3, size]) for name, size in (("x", k), ("y", n))]
    model = helper.make_model(helper.make_graph(nodes, "g", ports[:1], ports[1:], stored), ir_version=10,
                              opset_imports=[helper.make_opsetid("", 21)])
    onnx.save(model, path)


class Samples(CalibrationDataReader):
    """Passes one input to the calibration of ONNX Runtime."""
    def __init__(self, x):
        self.left = [{"x": x}]

    def get_next(self):
        return self.left.pop() if self.left else None


def made_by_tools(random, folder):
    """Yields (tool, path of the quantised file, input)."""
    plain, made = folder + "/float.onnx", folder + "/made.onnx"
    for transposed in (False, True):
        for k, n in ((33, 17), (64, 8), (5, 3)):
            x = verification.Graph(int(random.integers(1 << 30))).rows(3, k)
            for per_channel in (False, True):
                for kind in (QuantType.QInt8, QuantType.QUInt8):
                    float_model(random, k, n, transposed, plain)
                    quantize_dynamic(plain, made, per_channel=per_channel, weight_type=kind)
                    yield "quantize_dynamic", made, x
                    for form in (QuantFormat.QDQ, QuantFormat.QOperator):
                        quantize_static(plain, made, Samples(x), form, per_channel=per_channel, activation_type=QuantType.QUInt8,
                                        weight_type=kind)
                        yield f"quantize_static, {form.name}", made, x
            for bits in (4, 8):
                for block in (16, 32, 128):
                    for symmetric in (True, False):
                        for form in (QuantFormat.QOperator, QuantFormat.QDQ):
                            float_model(random, k, n, False, plain)
                            quantizer = MatMulNBitsQuantizer(onnx.load(plain), bits=bits, block_size=block, is_symmetric=symmetric,
                                                             quant_format=form)
                            quantizer.process()
                            quantizer.model.save_model_to_file(made, False)
                            yield f"MatMulNBitsQuantizer, {form.name}", made, x


def add_tools(program, rows):
    """Adds the files that tools of ONNX Runtime quantised to `rows`."""
    with tempfile.TemporaryDirectory() as folder:
        for tool, path, x in made_by_tools(np.random.default_rng(3), folder):
            row = rows[tool]
            row.cases += 1
            with open(path, "rb") as file:
                peer = runtime(file.read(), {"x": x})
            found = heddle.run(program, path, {"x": x}, folder)
            if peer is None:
                row.unknown += 1
                continue
            row.add(None, None, float(np.abs(found["y"] - peer["y"]).max() / verification.bound_of(peer["y"])))


def main():
    rows = collections.defaultdict(Row)
    add_cases(sys.argv[1], rows)
    add_tools(sys.argv[1], rows)
    print("| form or tool | cases | not supported by ONNX Runtime | ONNX Runtime to numpy | Heddle to numpy | Heddle to ONNX Runtime |")
    print("|---|---|---|---|---|---|")
    for name, row in rows.items():
        print(row.text(name))


if __name__ == "__main__":
    main()
