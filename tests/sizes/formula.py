"""Converts a value to a line of text, which reports contain."""
from values import Constant, Input

SYMBOLS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Equal": "==", "Less": "<", "LessOrEqual": "<=",
           "Greater": ">", "GreaterOrEqual": ">=", "And": "and", "Or": "or", "Xor": "xor"}
MOST = 600 # characters


def size_of(value):
    """Returns the name of a size if `value` is a query of this size of an input (spelling.py); else returns None."""
    shape = value.inputs[0] if value.op in ("Gather", "Squeeze") else None
    if shape is None or shape.op != "Shape" or not isinstance(shape.inputs[0], Input):
        return None
    axis = int(value.inputs[1].array) if value.op == "Gather" else shape.attributes["start"]
    return str(shape.inputs[0].shape[axis])


def text_of(value):
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
    text = text_of(value)
    return text if len(text) <= MOST else text[:MOST] + " ..."
