"""Random changes of quantised ONNX files and directories, for hostile.py. All functions draw random numbers from their
argument `random`."""
import json

import numpy as np
from onnx import TensorProto

# Values that replace integers, floats and words of a file.
NUMBERS = [-2 ** 63, -2 ** 31, -17, -1, 0, 1, 2, 3, 7, 15, 16, 17, 24, 32, 128, 4096, 2 ** 20, 2 ** 31 - 1, 2 ** 31, 2 ** 62]
FLOATS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-45, 1e-38, 3e38]
WORDS = ["", "gptq", "gptq_v2", "marlin", "int", "float", "tensor", "channel", "group", "block", "token", "pack-quantized",
         "int-quantized", "dense"]


def pick(random, choices):
    return choices[random.integers(len(choices))]


def shape_of(random, shape):
    """Returns `shape` with one dimension added, removed or changed, or with all dimensions in reverse order."""
    shape = list(shape)
    where = int(random.integers(len(shape) + 1))
    if where == len(shape) or not shape:
        return shape + [pick(random, [0, 1, 2])]
    before, old, after = shape[:where], shape[where], shape[where + 1:]
    return pick(random, [before + after, shape[::-1], before + [pick(random, NUMBERS + [old + 1, old - 1, 2 * old])] + after])


def bytes_of(random, data):
    """Returns the bytes `data`, truncated, extended, or with changed bytes."""
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
    """Changes a ModelProto in one place and returns a description of the change. Each nested function makes one kind of
    change."""
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


def change_json(random, value):
    """Changes one field of an object, or of an object inside it, and returns a description of the change."""
    key = pick(random, sorted(value))
    if isinstance(value[key], dict) and value[key] and random.integers(4):
        return f"{key}." + change_json(random, value[key])
    if random.integers(5) == 0:
        del value[key]
        return f"{key} is not there"
    if random.integers(8) == 0:
        key = "unknown"
    value[key] = pick(random, [None, True, False, [], {}, -1.5, 1e300, *NUMBERS, *WORDS, *WORDS])
    return f"{key} = {value[key]}"


def change_tensors(random, data):
    """Changes one tensor, or the end, of a .safetensors file with the bytes `data`. Returns the new bytes and a
    description of the change."""
    size = int.from_bytes(data[:8], "little")
    header, rest = json.loads(data[8:8 + size]), data[8 + size:]
    parts = {name: rest[slice(*entry["data_offsets"])] for name, entry in header.items()}
    name = pick(random, [name for name in header if name.rsplit(".", 1)[-1] not in ("weight", "bias") or header[name]["dtype"] == "I8"])
    entry, width = header[name], {"8": 1, "6": 2, "2": 4, "4": 8}[header[name]["dtype"][-1]]
    how = random.integers(8)
    if how == 0:
        del header[name], parts[name]
        said = "is not there"
    elif how == 1: # Changes the shape, and makes as many bytes as the new shape needs.
        entry["shape"] = [max(0, min(64, size)) for size in shape_of(random, entry["shape"])]
        parts[name] = random.bytes(width * int(np.prod(entry["shape"], dtype=np.int64)))
        said = f"shape {entry['shape']}"
    elif how == 2: # Changes the type to a type whose elements have the same number of bytes.
        of_size = {1: ["I8", "U8", "BOOL", "F8_E4M3"], 2: ["F16", "BF16", "I16"], 4: ["F32", "I32", "U32"], 8: ["F64", "I64", "X"]}
        entry["dtype"] = pick(random, of_size[width])
        said = f"type {entry['dtype']}"
    elif how < 5:
        parts[name] = random.bytes(len(parts[name]))
        said = "other bytes"
        if entry["dtype"] in ("F32", "F16") and how == 3:
            dtype = np.float32 if entry["dtype"] == "F32" else np.float16
            with np.errstate(over="ignore"):
                parts[name] = np.array([pick(random, FLOATS) for _ in range(len(parts[name]) // width)]).astype(dtype).tobytes()
            said = "odd numbers"
    # Up to here, a change keeps the offsets consistent with the tensors. The changes below do not.
    end = 0
    for key, part in parts.items():
        header[key]["data_offsets"] = [end, end + len(part)]
        end += len(part)
    rest = b"".join(parts.values())
    if how == 5:
        entry["shape"] = shape_of(random, entry["shape"])
        said = f"shape {entry['shape']} alone"
    elif how == 6:
        entry["data_offsets"] = [pick(random, [begin, *NUMBERS]) for begin in entry["data_offsets"]]
        said = f"at {entry['data_offsets']}"
    elif how == 7:
        rest = rest[:random.integers(len(rest))]
        said = f"{len(rest)} bytes of tensors"
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + rest, f"{name}: {said}"
