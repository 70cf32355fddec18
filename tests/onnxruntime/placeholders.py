"""Models with sizes in ranges and with fixed extents that equal numbers which the importer prefers as placeholders of
sizes, or sums, products and quotients of such numbers. These extents must not be mistaken for sizes."""
import numpy as np
from onnx import TensorProto, helper

import common

# The largest placeholders in compiler/import/sizes/ChoosePlaceholders.cpp (4001, 1021, 1538 and 2003), the largest
# primes up to a quarter of each of them, and twice two of these primes.
PREFERRED = [4001, 997, 1021, 251, 1538, 383, 2003, 499, 2 * 251, 2 * 997]
MAX_EXTENT = 9000


def extent(rng):
    """Returns an extent that equals a likely placeholder or a likely placeholder of a derived size."""
    while True:
        a, b = rng.choice(PREFERRED), rng.choice(PREFERRED)
        small = rng.randrange(1, 4)
        number = rng.choice([a, a, a + small, a - small, 2 * a, a + b, a * small + 2, a // 2, abs(a - b),
                             small * b - 1])
        if 1 < number <= MAX_EXTENT:
            return number


class Body:
    """The nodes of a graph, to which random nodes are appended. `shape` is the shape of the last value, `value`: two
    sizes and one fixed extent, in any order."""

    def __init__(self, rng, shape):
        self.rng, self.value, self.shape = rng, "x", shape
        self.nodes, self.initializers = [], []

    def stored(self, array):
        self.initializers.append(common.tensor(f"w{len(self.initializers)}", array))
        return self.initializers[-1].name

    def node(self, operator, *operands, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, [self.value, *operands], [name], **attributes))
        self.value = name

    def fixed(self):
        """Returns the index of the fixed dimension, and its extent."""
        return next((i, size) for i, size in enumerate(self.shape) if not isinstance(size, str))

    def step(self):
        """Appends an operator that depends on which extents are sizes."""
        axis, width = self.fixed()
        kind = self.rng.randrange(7)
        if kind == 0:
            order = self.rng.sample(range(3), 3)
            self.node("Transpose", perm=order)
            self.shape = [self.shape[i] for i in order]
        elif kind == 1 and axis == 2:
            self.node("LayerNormalization", self.stored(common.numbers(self.rng, width)),
                      self.stored(common.numbers(self.rng, width)), axis=-1)
        elif kind == 2 and axis == 2:
            other = self.rng.choice([self.rng.randrange(1, 9), extent(self.rng)])
            if other * width > 4e6:
                return
            self.node("MatMul", self.stored(common.numbers(self.rng, width, other) / np.float32(width ** 0.5)))
            self.shape[2] = other
        elif kind == 3:
            self.node("Softmax", axis=self.rng.randrange(3))
        elif kind == 4:
            row = [width if i == axis else 1 for i in range(3)]
            self.node("Add", self.stored(common.numbers(self.rng, *row)))
        elif kind == 5 and width > 2:
            begin = self.rng.randrange(width // 2)
            end = self.rng.randrange(begin + 1, width + 1)
            self.node("Slice", *[self.stored(np.array([number], np.int64)) for number in (begin, end, axis)])
            self.shape[axis] = end - begin
        elif kind == 6 and axis > 0:
            # Negates the elements while the two last dimensions are one dimension.
            self.node("Reshape", self.stored(np.array([0, -1], np.int64)))
            self.node("Neg")
            self.node("Reshape", self.stored(np.array([0, width, -1] if axis == 1 else [0, -1, width], np.int64)))


def make(rng):
    """Returns a model, its inputs by name, and values of the option --dim."""
    sizes = {"b": rng.randrange(1, 4), "s": rng.randrange(1, 7), "p": rng.randrange(0, 5)}
    width = extent(rng)
    shape = ["b", "s", width]
    body = Body(rng, shape)
    inputs = [common.port("x", shape)]
    feeds = {"x": common.numbers(rng, sizes["b"], sizes["s"], width)}
    if has_past := rng.random() < 0.6:
        inputs.append(common.port("past", ["b", "p", width]))
        feeds["past"] = common.numbers(rng, sizes["b"], sizes["p"], width)
        body.nodes.append(helper.make_node("Concat", ["past", "x"], ["all"], axis=1))
        body.value, body.shape = "all", ["b", "t", width]
    for _ in range(rng.randrange(2, 7)):
        body.step()
    outputs = [common.port(body.value, None)]
    if rng.random() < 0.3:  # the number of all rows, in floats
        body.nodes.append(helper.make_node("Size", [body.value], ["count"]))
        body.nodes.append(helper.make_node("Cast", ["count"], ["rows"], to=TensorProto.FLOAT))
        outputs.append(common.port("rows", []))
    graph = helper.make_graph(body.nodes, "g", inputs, outputs, body.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    names = ["b", "s", "p"] if has_past else ["b", "s"]
    # A past may be empty; the other sizes are at least 1.
    ranges = [(max(int(name != "p"), sizes[name] - rng.randrange(3)), sizes[name] + 1 + rng.randrange(3))
              for name in names]
    return model, feeds, [f"{name}={low}..{high}" for name, (low, high) in zip(names, ranges)]
