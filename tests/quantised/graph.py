"""Makes ONNX files that contain several cases, small graphs with inputs, outputs and names of their own."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from meaning import four_bits

MICROSOFT = "com.microsoft"
UINT4, INT4 = 21, 22 # element types that python3-onnx of Debian 12 does not define


class Graph:
    """A graph under construction: nodes, constants, inputs, and for each output the expected result with a bound."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.prefix = ""
        self.odd = [] # Scales that no tool writes, such as NaN. The function `scales` returns some of them.
        # made(graph, name, scales) adds nodes that compute the scales of weights. If `made` is None, scales are tensors
        # of the file. All scales are multiplied by the first number of `factors`, and all inputs by the second.
        self.made, self.factors = None, (1, 1)
        self.nodes, self.tensors, self.inputs, self.expected = [], [], {}, {}

    def begin(self, name):
        """Begins a case. Names of nodes and tensors that are added from now on get the prefix `name`/."""
        self.prefix = name + "/"
        return self

    # Returns the name with the prefix of the case. An empty name, for an omitted operand, remains empty.
    def name(self, name):
        return name and self.prefix + name

    # The functions from `input` to `node` add parts to the current case. They take names without the prefix, and return
    # the name of the added value.
    def input(self, name, array):
        self.inputs[self.name(name)] = np.ascontiguousarray(array, np.float32)
        return name

    def stored(self, name, array):
        self.tensors.append(numpy_helper.from_array(np.asarray(array), self.name(name)))
        return name

    # Like `stored`, but scales of weights ("ws") are computed by nodes if `made` is not None.
    def constant(self, name, array):
        if not self.made or name != "ws":
            return self.stored(name, array)
        self.made(self, name, np.asarray(array))
        return name

    # Like `stored`, for integers of 4 bits.
    def constant4(self, name, integers, signed):
        tensor = TensorProto(name=self.name(name), data_type=INT4 if signed else UINT4, dims=integers.shape)
        tensor.raw_data = four_bits(integers).tobytes()
        self.tensors.append(tensor)
        return name

    def node(self, op, inputs, outputs, domain="", **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(op, [self.name(name) for name in inputs], [self.name(name) for name in outputs],
                                           name=self.name(f"{op}_{len(self.nodes)}"), domain=domain, **attributes))
        return outputs[0]

    def output(self, name, result, bound):
        """Declares an output with its expected result and the accepted error of each element."""
        self.expected[self.name(name)] = np.asarray(result, np.float64), np.broadcast_to(bound, np.shape(result))

    def model(self, opset):
        """Returns the model that contains all cases."""
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape) for name, array in self.inputs.items()]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, result.shape)
                   for name, (result, _) in self.expected.items()]
        graph = helper.make_graph(self.nodes, "quantised", ports, results, self.tensors)
        versions = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10 if opset >= 21 else 8)

    # The functions below return random arrays.
    def integers(self, dtype, *shape):
        limits = np.iinfo(dtype)
        return self.random.integers(limits.min, limits.max + 1, shape).astype(dtype)

    def scales(self, *shape):
        scales = np.float32((self.random.random(shape) * 0.02 + 0.005) * self.factors[0])
        if self.odd and shape:
            scales = np.where(self.random.random(shape) < 0.3, self.random.choice(self.odd, shape), scales).astype(np.float32)
        return scales

    def floats(self, *shape):
        return np.float32(self.random.standard_normal(shape) * self.factors[1])

    def rows(self, *shape):
        """Returns random floats for DynamicQuantizeLinear. None of them is close to a rounding boundary, where f32
        might round to either side."""
        for _ in range(100):
            values = self.floats(*shape)
            for _ in range(20):
                low, high = min(values.min(), 0), max(values.max(), 0)
                step = max(high - low, 1e-3) / 255
                off = np.abs(values / step % 1 - 0.5)
                if np.all(off > 0.02) and abs(low / step % 1 - 0.5) > 0.02:
                    return values
                values = (values + (off <= 0.02) * 0.1 * step).astype(np.float32)
        raise RuntimeError("no input was found whose elements are far enough from rounding boundaries")

    def rows_of(self, step, *shape):
        """Returns (m + 1/4) * `step` for random integers m, where `step` is a scale. Some m do not fit into 8 bits."""
        return ((self.random.integers(-160, 160, shape) + 0.25) * step).astype(np.float32)
