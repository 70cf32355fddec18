"""Changes of quantised files, each of which is refused or means something, of ONNX."""
import numpy as np
from onnx import TensorProto

NUMBERS = [-2 ** 63, -2 ** 31, -17, -1, 0, 1, 2, 3, 7, 15, 16, 17, 24, 32, 128, 4096, 2 ** 20, 2 ** 31 - 1, 2 ** 31, 2 ** 62]
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-45, 1e-38, 3e38]


def pick(random, choices):
    return choices[random.integers(len(choices))]


def shape_of(random, shape):
    """Another one."""
    shape = list(shape)
    where = int(random.integers(len(shape) + 1))
    if where == len(shape) or not shape:
        return shape + [pick(random, [0, 1, 2])]
    before, old, after = shape[:where], shape[where], shape[where + 1:]
    return pick(random, [before + after, shape[::-1], before + [pick(random, NUMBERS + [old + 1, old - 1, 2 * old])] + after])


def bytes_of(random, data):
    """Cut, longer, or with other bytes."""
    data = bytearray(data)
    how = random.integers(3)
    if how == 0:
        return bytes(data[:random.integers(len(data) + 1)])
    if how == 1:
        return bytes(data) + bytes(int(random.integers(1, 40)))
    for _ in range(random.integers(1, 9)):
        if data:
            data[random.integers(len(data))] = int(random.integers(256))
    return bytes(data)


def change_graph(random, model):
    """Changes a ModelProto in one place; says what it did."""
    graph = model.graph
    stored, node = pick(random, graph.initializer), pick(random, graph.node)
    name = stored.name.rsplit("/", 1)[-1]
    attribute = pick(random, node.attribute) if node.attribute else None

    def shape():
        new = shape_of(random, stored.dims)
        stored.ClearField("dims")
        stored.dims.extend(new)
        return f"{name}: shape {new}"

    def element_type():
        stored.data_type = int(random.integers(0, 27))
        return f"{name}: type {stored.data_type}"

    def data():
        stored.raw_data = bytes_of(random, stored.raw_data)
        return f"{name}: {len(stored.raw_data)} bytes"

    def numbers():
        floats = [tensor for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT]
        if not floats:
            return data()
        tensor = pick(random, floats)
        values = np.frombuffer(tensor.raw_data, np.float32).copy()
        values[random.integers(len(values))] = pick(random, FLOATS)
        tensor.raw_data = values.tobytes()
        return f"{tensor.name}: {values[:4]}"

    def gone():
        graph.initializer.remove(stored)
        return f"{name} is not there"

    def number():
        if attribute is None or not attribute.HasField("i"):
            return operands()
        attribute.i = int(pick(random, NUMBERS))
        return f"{attribute.name} = {attribute.i}"

    def attribute_type():
        if attribute is None:
            return operands()
        attribute.type = int(random.integers(0, 15))
        return f"{attribute.name} has type {attribute.type}"

    def new_attribute():
        names = ["axis", "block_size", "output_dtype", "precision", "saturate", "bits", "K", "N", "transA", "alpha", "unknown"]
        made = node.attribute.add(name=pick(random, names), type=2)
        made.i = int(pick(random, NUMBERS))
        return f"{node.op_type} has {made.name} = {made.i}"

    def operands():
        place = int(random.integers(len(node.input)))
        node.input[place] = pick(random, ["", "nowhere", *[tensor.name for tensor in graph.initializer], graph.input[0].name])
        return f"{node.op_type} has input {place} '{node.input[place]}'"

    def fewer_operands():
        removed = node.input.pop()
        return f"{node.op_type} is without '{removed}'"

    def version():
        model.opset_import[0].version = int(pick(random, [0, 1, 9, 10, 13, 19, 21, 24, 28, 29, 1000, 2 ** 62]))
        return f"opset {model.opset_import[0].version}"

    def input_shape():
        dims = graph.input[0].type.tensor_type.shape.dim
        dim = pick(random, dims)
        dim.dim_value = int(pick(random, NUMBERS))
        return f"an input's size is {dim.dim_value}"

    return pick(random, [shape, shape, element_type, data, numbers, numbers, gone, number, number, attribute_type, new_attribute,
                         operands, fewer_operands, version, input_shape])()
