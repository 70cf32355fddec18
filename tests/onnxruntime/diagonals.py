"""Einsum with labels that occur several times in an operand (diagonals)."""
from onnx import helper

import common


def make(rng):
    """Returns a model with one Einsum, its inputs by name, and no values of --dim, because all sizes are fixed. The
    first operand has a repeated label in every model."""
    letters = "abcd"[: rng.randrange(1, 5)]
    extents = {letter: rng.randrange(1, 6) for letter in letters}
    ellipsis = [rng.randrange(1, 4) for _ in range(rng.randrange(1, 3))] if rng.random() < 0.3 else []
    terms, feeds, inputs = [], {}, []
    for i in range(rng.randrange(1, 4)):
        labels = [rng.choice(letters) for _ in range(rng.randrange(1, 5))]
        if i == 0 and len(set(labels)) == len(labels):
            labels.insert(rng.randrange(len(labels) + 1), labels[0])
        at = rng.randrange(len(labels) + 1) if ellipsis and (i == 0 or rng.random() < 0.5) else None
        shape = [extents[label] for label in labels]
        if at is not None:
            shape[at:at] = ellipsis
            labels.insert(at, "...")
        terms.append("".join(labels))
        feeds[f"x{i}"] = common.numbers(rng, *shape)
        inputs.append(common.port(f"x{i}", shape))
    used = sorted({letter for term in terms for letter in term if letter != "."})
    result = [letter for letter in used if rng.random() < 0.5]
    rng.shuffle(result)
    if ellipsis:
        result.insert(rng.randrange(len(result) + 1), "...")
    separator = rng.choice([",", ", "])
    equation = separator.join(terms) + ("->" + "".join(result) if rng.random() < 0.85 or ellipsis else "")
    node = helper.make_node("Einsum", list(feeds), ["y"], equation=equation)
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", 1, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), feeds, []
