"""Converts a value to a line of text, such as (x + Cast((s / 2), float32)), for reports of failures."""
from values import Constant, Input

SYMBOLS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Equal": "==", "Less": "<", "LessOrEqual": "<=",
           "Greater": ">", "GreaterOrEqual": ">=", "And": "and", "Or": "or", "Xor": "xor"}
MOST = 600 # the maximum length of a formula in a report, in characters


def size_of(value):
    """If `value` is the extent of a dimension of an input, computed from the input's shape as in spelling.py, returns
    the name of the size, or the number if the extent is fixed. Otherwise returns None."""
    shape = value.inputs[0] if value.op in ("Gather", "Squeeze") else None
    if shape is None or shape.op != "Shape" or not isinstance(shape.inputs[0], Input):
        return None
    axis = int(value.inputs[1].array) if value.op == "Gather" else shape.attributes["start"]
    return str(shape.inputs[0].shape[axis])


def text_of(value):
    """Returns the whole formula of a Value (values.py); "" for None, an operand that is absent."""
    if value is None:
        return ""
    if size := size_of(value):
        return size
    if isinstance(value, Input):
        return value.name
    if isinstance(value, Constant):
        return str(value.array.tolist()) if value.array.size <= 8 else f"constant{list(value.array.shape)}"
    operands = [text_of(operand) for operand in [*value.inputs, *(value.branches or ())]]
    if value.op in SYMBOLS:
        return f"({f' {SYMBOLS[value.op]} '.join(operands)})"
    words = [f"{key}={of}" for key, of in value.attributes.items()]
    if value.op == "Cast":
        words = [value.dtype.name]
    text = f"{value.op}({', '.join(operands + words)})"
    return text


def shortened(value):
    """Returns the formula, cut to MOST characters."""
    text = text_of(value)
    return text if len(text) <= MOST else text[:MOST] + " ..."
