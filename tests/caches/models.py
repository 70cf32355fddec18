"""Makes random models with caches of keys and values, with ranges of their sizes and inputs for any of these sizes."""
import collections
import dataclasses
import typing

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int32"): TensorProto.INT32,
         np.dtype("int64"): TensorProto.INT64}


@dataclasses.dataclass
class Case:
    """A model. `ranges` maps the name of each size to its lowest and its highest value. `inputs` is a function that
    maps a dictionary of sizes to a dictionary of input arrays. `tolerance` is the largest accepted error, relative to
    the largest result, or to 1 if all results are smaller than 1."""
    name: str
    model: onnx.ModelProto
    ranges: dict
    inputs: typing.Callable
    tolerance: float = 2e-5


class Builder:
    """A graph under construction. `shapes` maps the name of each input to its shape, which consists of numbers and
    names of sizes, and its type. `numbers` is a numpy random generator."""

    def __init__(self, numbers):
        self.numbers, self.nodes, self.constants, self.ports, self.shapes = numbers, [], [], [], {}
        self.outputs, self.counts = [], collections.Counter()

    def input(self, name, shape, dtype="float32"):
        self.shapes[name] = (shape, np.dtype(dtype))
        self.ports.append(helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], shape))
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        """Adds a node. `outputs` is the number of outputs or a list of their names. Returns the list of names if
        `outputs` is a list or greater than 1, and otherwise the name of the output."""
        self.counts[op] += 1
        names = outputs if isinstance(outputs, list) else [f"{op}{self.counts[op]}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}{self.counts[op]}", **attributes))
        return names if isinstance(outputs, list) or outputs > 1 else names[0]

    def output(self, name, dtype="float32"):
        self.outputs.append(helper.make_tensor_value_info(name, TYPES[np.dtype(dtype)], None))

    def model(self, opset, **domains):
        graph = helper.make_graph(self.nodes, "g", self.ports, self.outputs, self.constants)
        imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(name.replace("_", "."), version)
                                                     for name, version in domains.items())]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def floats(self, sizes):
        """Returns random arrays for the floating-point inputs."""
        return {name: self.numbers.standard_normal([sizes.get(extent, extent) for extent in shape]).astype(dtype)
                for name, (shape, dtype) in self.shapes.items() if dtype.kind == "f"}


def size(rng, most, least=1):
    """Returns a random range (low, high) that lies in least..most and may consist of one number."""
    low = rng.randint(least, most)
    return (low, low) if rng.random() < 0.3 else (min(low, least + 1), most)


def past(rng, numbers):
    """Returns a model with attention to a past of 0 or more positions, as the operator Attention or as a graph."""
    b = Builder(numbers)
    groups, size_of_head = rng.choice([1, 2, 3]), rng.choice([4, 8])
    heads = groups * rng.choice([1, 2])
    none = rng.random() < 0.4
    ranges = {"b": size(rng, 3), "s": size(rng, 4), "p": (0, 0) if none else (0, rng.randint(1, 6))}
    b.input("q", ["b", heads, "s", size_of_head])
    for part in "kv":
        b.input(part, ["b", groups, "s", size_of_head])
    for part in ("pk", "pv"):
        b.input(part, ["b", groups, "p", size_of_head])
    mask = rng.choice(["none", "floats", "none"])
    if mask == "floats":
        b.input("mask", ["b", 1, "s", "t"])
    if rng.random() < 0.5:
        attributes = {"is_causal": rng.randint(0, 1)}
        if rng.random() < 0.3:
            attributes["scale"] = rng.choice([0.25, 0.5, 1.0])
        b.node("Attention", ["q", "k", "v", "mask" if mask == "floats" else "", "pk", "pv"], ["y", "nk", "nv"], **attributes)
        model, name = 23, f"Attention {attributes} mask={mask}"
    else:
        name = compose(b, rng, heads, groups, mask)
        model = 18
    for output in ("y", "nk", "nv"):
        b.output(output)

    def inputs(sizes):
        return b.floats({**sizes, "t": sizes["p"] + sizes["s"]})
    return Case(name, b.model(model), ranges, inputs)


def compose(b, rng, heads, groups, mask):
    """Adds a graph of MatMul, Softmax and other operators that computes softmax(0.35 q k^T + mask) v, with or
    without causal order. The mask is optional. Rows of a table of positions may be added to queries and keys. Returns
    the name of the case."""
    def ints(*values):
        return b.constant(np.array(values, np.int64))

    def length(of):
        return b.node("Gather", [b.node("Shape", [of]), b.constant(np.int64(2))], axis=0)
    before, rows = length("pk"), length("q")
    after = b.node("Add", [before, rows])
    places = b.node("Range", [before, after, b.constant(np.int64(1))])
    key, query = "k", "q"
    if positions := rng.random() < 0.5:
        table = b.constant(b.numbers.standard_normal((24, b.shapes["q"][0][3])).astype(np.float32))
        added = b.node("Gather", [table, places], axis=0)
        key, query = b.node("Add", [key, added]), b.node("Add", [query, added])
    nk = b.node("Concat", ["pk", key], ["nk"], axis=-2)[0]
    nv = b.node("Concat", ["pv", "v"], ["nv"], axis=-2)[0]

    def repeated(keys):
        if heads == groups:
            return keys
        shape = b.node("Shape", [keys])
        begin, end = b.node("Slice", [shape, ints(0), ints(2)]), b.node("Slice", [shape, ints(2), ints(4)])
        wide = b.node("Concat", [begin, ints(heads // groups), end], axis=0)
        wide = b.node("Expand", [b.node("Unsqueeze", [keys, ints(2)]), wide])
        batch = b.node("Slice", [shape, ints(0), ints(1)])
        return b.node("Reshape", [wide, b.node("Concat", [batch, ints(heads), end], axis=0)])
    scores = b.node("MatMul", [query, b.node("Transpose", [repeated(nk)], perm=[0, 1, 3, 2])])
    scores = b.node("Mul", [scores, b.constant(np.float32(0.35))])
    if causal := rng.random() < 0.7:
        keys = b.node("Range", [b.constant(np.int64(0)), after, b.constant(np.int64(1))])
        visible = b.node("LessOrEqual", [keys, b.node("Unsqueeze", [places, ints(-1)])])
        low = b.constant(np.float32(rng.choice([-np.inf, np.finfo(np.float32).min, -1e4])))
        scores = b.node("Add", [scores, b.node("Where", [visible, b.constant(np.float32(0)), low])])
    if mask == "floats":
        scores = b.node("Add", [scores, "mask"])
    weights = b.node("Softmax", [scores], axis=-1)
    b.node("MatMul", [weights, repeated(nv)], ["y"])
    return f"of operators: positions={positions} causal={causal} mask={mask}"


def buffers(rng, numbers):
    """Returns a model with GroupQueryAttention. The length of its past buffers lies in a range, and the sequences in
    the buffers have different lengths."""
    b = Builder(numbers)
    groups, size_of_head = rng.choice([1, 2]), 16
    heads = groups * rng.choice([1, 2])
    rows = rng.choice([1, 1, 1, 3])
    # With a past, ONNX Runtime accepts several new tokens only if the batch is one sequence.
    batch = (1, 1) if rows > 1 else size(rng, 3)
    ranges = {"b": batch, "p": (rng.randint(rows, 3), rng.randint(4, 9))}
    packed = rng.random() < 0.3
    if packed:
        b.input("q", ["b", rows, (heads + 2 * groups) * size_of_head])
    else:
        b.input("q", ["b", rows, heads * size_of_head])
        for part in "kv":
            b.input(part, ["b", rows, groups * size_of_head])
    for part in ("pk", "pv"):
        b.input(part, ["b", groups, "p", size_of_head])
    b.input("am", ["b", f"p + {rows}"], "int64")
    total = b.node("Cast", [b.node("Gather", [b.node("Shape", ["am"]), b.constant(np.int64(1))], axis=0)],
                   to=TensorProto.INT32)
    by_mask = rng.random() < 0.6
    if by_mask:
        count = b.node("ReduceSum", ["am", b.constant(np.array([1], np.int64))], keepdims=0)
        last = b.node("Cast", [b.node("Sub", [count, b.constant(np.array([1], np.int64))])], to=TensorProto.INT32)
    else:
        last = b.input("last", ["b"], "int32")
    operands = ["q", "" if packed else "k", "" if packed else "v", "pk", "pv", last, total]
    attributes = {"num_heads": heads, "kv_num_heads": groups}
    if rng.random() < 0.5:
        angles = np.arange(24)[:, None] * np.logspace(0, -2, size_of_head // 2)
        operands += [b.constant(np.cos(angles).astype(np.float32)), b.constant(np.sin(angles).astype(np.float32))]
        attributes |= {"do_rotary": 1, "rotary_interleaved": rng.randint(0, 1)}
    if rng.random() < 0.4:
        attributes["local_window_size"] = rng.randint(1, 5)
    if rng.random() < 0.3:
        attributes["softcap"] = 2.0
    kind = rng.choice(["", "", "smooth", "sink"])
    if kind == "smooth":
        attributes["smooth_softmax"] = 1
    if kind == "sink":
        operands += [""] * (11 - len(operands)) + [b.constant(numbers.standard_normal(heads).astype(np.float32))]
    b.nodes.append(helper.make_node("GroupQueryAttention", operands, ["y", "nk", "nv"], name="attend",
                                    domain="com.microsoft", **attributes))
    for output in ("y", "nk", "nv"):
        b.output(output)

    def inputs(sizes):
        given, most = b.floats(sizes), sizes["p"] + rows
        lengths = [numbers.integers(rows, most + 1) for _ in range(sizes["b"])]
        given["am"] = (np.arange(most) < np.array(lengths)[:, None]).astype(np.int64)
        if not by_mask:
            given["last"] = np.array(lengths, np.int32) - 1
        for part in ("pk", "pv"):
            for row, length in enumerate(lengths):
                given[part][row, :, length - rows:] = 0
        return given
    return Case(f"{attributes} {kind} packed={packed} by_mask={by_mask} rows={rows}", b.model(17, com_microsoft=1), ranges,
                inputs)


def writes(rng, numbers):
    """Returns a model that writes rows of a cache. The positions of the rows are an input."""
    return rng.choice([write_tuples, write_elements, write_rows])(rng, numbers)


def write_tuples(rng, numbers):
    """Returns a model that writes rows with ScatterND. An index is [sequence, row], or [row] if the first dimension of
    the cache counts rows."""
    b = Builder(numbers)
    capacity, heads, width = rng.randint(4, 9), rng.randint(1, 3), rng.choice([1, 4, 8])
    ranges = {"b": size(rng, 3), "L": size(rng, 4)}
    each = rng.random() < 0.5
    b.input("cache", ["b", heads, capacity, width])
    b.input("new", ["b", heads, "L", width])
    b.input("at", ["b", "L"] if each else ["L"], "int64")
    order = [0, 2, 1, 3] if each else [2, 0, 1, 3]
    rows, updates = (b.node("Transpose", [name], perm=order) for name in ("cache", "new"))
    minus = b.constant(np.array([-1], np.int64))
    index = b.node("Unsqueeze", ["at", minus])
    if each:
        shape = b.node("Shape", ["at"])
        count = b.node("Gather", [shape, b.constant(np.int64(0))], axis=0)
        sequences = b.node("Range", [b.constant(np.int64(0)), count, b.constant(np.int64(1))])
        sequences = b.node("Expand", [b.node("Unsqueeze", [sequences, minus]), shape])
        index = b.node("Concat", [b.node("Unsqueeze", [sequences, minus]), index], axis=-1)
    written = b.node("ScatterND", [rows, index, updates])
    b.node("Transpose", [written], ["y"], perm=list(np.argsort(order)))
    b.output("y")
    return Case(f"ScatterND each={each} capacity={capacity}", b.model(18), ranges,
                lambda sizes: places(b, sizes, "at", capacity, rng), 0)


def places(b, sizes, name, capacity, rng):
    """Returns inputs. The input `name` contains random positions, which are distinct along its last dimension. Negative
    positions count from the end."""
    given = b.floats(sizes)
    shape, dtype = b.shapes[name]
    shape = [sizes.get(extent, extent) for extent in shape]
    rows = [b.numbers.permutation(capacity)[:shape[-1]] for _ in range(int(np.prod(shape[:-1])))]
    at = np.array(rows).reshape(shape)
    negative = b.numbers.random(shape) < rng.choice([0, 0.3])
    given[name] = np.where(negative, at - capacity, at).astype(dtype)
    return given


def write_elements(rng, numbers):
    """Returns a model with ScatterElements along any axis. Its indices are an input, or are expanded from an index
    for each row."""
    b = Builder(numbers)
    capacity, rank = rng.randint(4, 9), rng.randint(2, 4)
    axis = rng.randint(0, rank - 1)
    ranges = {"b": size(rng, 3), "L": size(rng, 4)}
    shape = [rng.randint(2, 4) for _ in range(rank)]
    if axis != 0:
        shape[0] = "b"
    part = [extent if extent == "b" or rng.random() < 0.7 else extent - 1 for extent in shape]
    cache, part[axis] = list(shape), "L"
    cache[axis] = capacity
    b.input("cache", cache)
    b.input("new", part)
    dtype = rng.choice(["int64", "int32"])
    if repeats := rng.random() < 0.5:
        row = b.node("Unsqueeze", [b.input("at", ["L"], dtype), b.constant(
            np.array([dim for dim in range(rank) if dim != axis], np.int64))])
        index = b.node("Expand", [row, b.node("Shape", ["new"])])
    else:
        index = b.input("at", [*part[:axis], *part[axis + 1:], "L"], dtype)
        back = [*range(axis), rank - 1, *range(axis, rank - 1)]
        index = b.node("Transpose", [index], perm=back)
    b.node("ScatterElements", ["cache", index, "new"], ["y"], axis=axis - rng.choice([0, rank]))
    b.output("y")
    if "b" not in cache + part:
        del ranges["b"]
    return Case(f"ScatterElements {cache} {part} axis={axis} repeats={repeats}", b.model(18), ranges,
                lambda sizes: places(b, sizes, "at", capacity, rng), 0)


def write_rows(rng, numbers):
    """Returns a model that writes consecutive rows with TensorScatter. In circular mode, the rows continue at the
    beginning of the cache."""
    b = Builder(numbers)
    capacity, rank = rng.randint(4, 9), rng.randint(2, 5)
    axis = rng.randint(1, rank - 1)
    circular = rng.random() < 0.4
    ranges = {"b": size(rng, 3), "L": size(rng, 4)}
    cache = ["b", *(rng.randint(1, 4) for _ in range(rank - 1))]
    new = list(cache)
    cache[axis], new[axis] = capacity, "L"
    b.input("cache", cache)
    b.input("new", new)
    operands = ["cache", "new"]
    if given := rng.random() < 0.8:
        operands.append(b.input("at", ["b"], "int64"))
    b.node("TensorScatter", operands, ["y"], axis=axis - rng.choice([0, rank]), mode="circular" if circular else "linear")
    b.output("y")

    def inputs(sizes):
        numbers_at = b.floats(sizes)
        if given:
            high = 3 * capacity if circular else capacity - sizes["L"] + 1
            numbers_at["at"] = numbers.integers(0, high, sizes["b"])
        return numbers_at
    return Case(f"TensorScatter {cache} axis={axis} circular={circular} at={given}", b.model(24), ranges, inputs, 0)


KINDS = {"past": past, "buffers": buffers, "writes": writes}
