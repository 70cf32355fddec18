"""Norms whose scale and bias broadcast to their input in any way that ONNX allows."""
import numpy as np
from onnx import helper

import common


def operand_shape(rng, shape, axis):
    """Returns a shape that broadcasts to `shape`. Often it consists of the normalised dimensions of `shape`, those from
    `axis` on, after some dimensions of 1."""
    rank = len(shape)
    if rng.random() < 0.4:
        return [1] * rng.randrange(axis + 1) + shape[axis:]
    taken = shape[rank - rng.randrange(1, rank + 1):]
    return [1 if rng.random() < 0.4 else extent for extent in taken]


def make(rng):
    """Returns a model, its inputs by name, and values of the option --dim."""
    shape = [rng.randrange(1, 5) for _ in range(rng.randrange(1, 4))] + [rng.choice([1, 3, 8, 16, 33])]
    axis = rng.choice([len(shape) - 1] * 3 + list(range(len(shape))))
    operator = rng.choice(["LayerNormalization"] * 2 + ["RMSNormalization"])
    names = ["b", "s", "t"][: len(shape) - 1] if axis == len(shape) - 1 else []
    sizes = dict(zip(names, shape))
    inputs, initializers = [common.port("x", names + shape[len(names):])], []
    feeds = {"x": common.numbers(rng, *shape)}
    operands = ["x"]
    for name in ["scale"] + ["bias"] * (operator == "LayerNormalization" and rng.random() < 0.7):
        of = operand_shape(rng, shape, axis)
        array = common.numbers(rng, *of)
        operands.append(name)
        # The name of the size of each dimension of the operand, or None for a dimension of fixed size.
        tail = names + [None] * (len(shape) - len(names))
        symbols = tail[len(shape) - len(of):]
        isStored = all(extent == 1 for extent, symbol in zip(of, symbols) if symbol)
        if isStored and rng.random() < 0.7:
            initializers.append(common.tensor(name, array))
        else:
            inputs.append(common.port(name, [symbol if symbol and extent == sizes[symbol] and extent > 1 else extent
                                             for extent, symbol in zip(of, symbols)]))
            feeds[name] = array
    node = helper.make_node(operator, operands, ["y"], axis=axis if rng.random() < 0.5 else axis - len(shape),
                            epsilon=rng.choice([1e-5, 1e-3, 0.1]))
    graph = helper.make_graph([node], "g", inputs, [common.port("y", names + shape[len(names):])], initializers)
    opset = 23 if operator == "RMSNormalization" else rng.choice([17, 20, 23])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    # If a scale or bias is an input, all sizes are fixed, because the shape of this input is chosen for these sizes
    # only: where a size is 1, for example, an extent that equals the size is declared as 1 and not as the size.
    dims = common.dims_of(rng, **sizes) if len(feeds) == 1 else [f"{name}={size}" for name, size in sizes.items()]
    return model, feeds, dims
