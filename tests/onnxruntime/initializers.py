"""Models with initializers that are also inputs. A call may omit such an input or pass another value for it."""
from onnx import helper

import common


def make(rng):
    """Returns a model, its inputs by name, and values of the option --dim."""
    width, rows = rng.choice([3, 4, 8]), rng.randrange(1, 4)
    feeds = {"x": common.numbers(rng, rows, width)}
    inputs, initializers, nodes, value = [common.port("x", ["n", width])], [], [], "x"
    for i in range(rng.randrange(1, 5)):
        name, after = f"w{i}", f"v{i}"
        operator = rng.choice(["MatMul", "Add", "Mul", "Sub"])
        shape = [width, width] if operator == "MatMul" else rng.choice([[width], [1, width], [1], []])
        initializers.append(common.tensor(name, common.numbers(rng, *shape)))
        # 0: only an initializer, 1: also an input that the call omits, 2: also an input that the call passes
        form = rng.randrange(3)
        if form:
            inputs.insert(rng.randrange(len(inputs) + 1), common.port(name, shape))
        if form == 2:
            feeds[name] = common.numbers(rng, *shape)
        nodes.append(helper.make_node(operator, [value, name], [after]))
        value = after
    graph = helper.make_graph(nodes, "g", inputs, [common.port(value, ["n", width])], initializers)
    opset = rng.choice([9, 13, 17])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=rng.choice([4, 8, 10]))
    return model, feeds, common.dims_of(rng, n=rows)
