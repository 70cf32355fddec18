"""Elementwise operators: each function returns a Value (values.py), an ONNX node with its computation in numpy."""
import numpy as np
from onnx import TensorProto

from values import Constant, Value, require

TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE,
         np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.int64): TensorProto.INT64,
         np.dtype(np.int32): TensorProto.INT32, np.dtype(np.bool_): TensorProto.BOOL}


def constant(number, dtype=np.int64):
    return Constant(np.array(number, dtype))


def as_value(operand, like=None):
    """Returns `operand`, or a constant if it is a number. The type of the constant is that of the Value `like`, or
    int64."""
    return operand if isinstance(operand, Value) else constant(operand, like.dtype if like is not None else np.int64)


def broadcast(function):
    """Returns a function that raises Invalid if the shapes of its arrays do not broadcast, and otherwise calls
    `function`."""
    def compute(*arrays):
        try:
            np.broadcast_shapes(*(array.shape for array in arrays))
        except ValueError:
            require(False, "shapes do not broadcast")
        return function(*arrays)
    return compute


def binary(op, function, dtype=None, **attributes):
    """Returns a function that makes a node of the ONNX operator `op`. The result has the type `dtype`, or that of the
    operands. One of the two operands may be a number."""
    def make(a, b):
        a = as_value(a, b if isinstance(b, Value) else None)
        b = as_value(b, a)
        assert a.dtype == b.dtype, (op, a.dtype, b.dtype)
        return Value(op, [a, b], broadcast(function), dtype or a.dtype, attributes)
    return make


def truncating_division(a, b):
    """Divides as ONNX does: quotients of integers are rounded towards 0, whereas numpy rounds them down."""
    if a.dtype.kind == "f":
        return a / b
    require(np.all(b != 0), "division by zero")
    return (np.abs(a) // np.abs(b) * (np.sign(a) * np.sign(b))).astype(a.dtype)


def remainder(function):
    """Returns `function` with a check that no divisor is 0."""
    def compute(a, b):
        require(np.all(b != 0), "division by zero")
        return function(a, b)
    return compute


add = binary("Add", np.add)
sub = binary("Sub", np.subtract)
mul = binary("Mul", np.multiply)
div = binary("Div", truncating_division)
mod = binary("Mod", remainder(np.mod)) # the result has the sign of the divisor
fmod = binary("Mod", remainder(np.fmod), fmod=1) # the result has the sign of the dividend
minimum = binary("Min", np.minimum)
maximum = binary("Max", np.maximum)
equal = binary("Equal", np.equal, np.bool_)
less = binary("Less", np.less, np.bool_)
less_or_equal = binary("LessOrEqual", np.less_equal, np.bool_)
greater = binary("Greater", np.greater, np.bool_)
greater_or_equal = binary("GreaterOrEqual", np.greater_equal, np.bool_)
logical_and = binary("And", np.logical_and)
logical_or = binary("Or", np.logical_or)
logical_xor = binary("Xor", np.logical_xor)


def unary(op, function):
    return lambda a: Value(op, [a], function, a.dtype)


def positive_only(function, least):
    """Returns `function` with a check that no operand is less than `least`."""
    def compute(a):
        require(np.all(a >= least), "the function is undefined for this number")
        return function(a)
    return compute


negative = unary("Neg", np.negative)
absolute = unary("Abs", np.abs)
sign = unary("Sign", np.sign)
logical_not = unary("Not", np.logical_not)
floor = unary("Floor", np.floor)
ceil = unary("Ceil", np.ceil)
cosine = unary("Cos", np.cos)
sine = unary("Sin", np.sin)
tanh = unary("Tanh", np.tanh)
sqrt = unary("Sqrt", positive_only(np.sqrt, 0))
log = unary("Log", positive_only(np.log, 0.5))
reciprocal = unary("Reciprocal", lambda a: (1 / a).astype(a.dtype))
relu = unary("Relu", lambda a: np.maximum(a, 0))


def where(condition, a, b):
    a = as_value(a, b if isinstance(b, Value) else None)
    b = as_value(b, a)
    return Value("Where", [condition, a, b], broadcast(lambda c, x, y: np.where(c, x, y).astype(x.dtype)), a.dtype)


def clip(a, low, high):
    return Value("Clip", [a, as_value(low, a), as_value(high, a)],
                 lambda x, least, most: np.minimum(np.maximum(x, least), most), a.dtype)


def cast(a, dtype):
    """Converts to another type. Floats are truncated to integers, integers wrap around if they do not fit, and every
    number except 0 becomes true."""
    dtype = np.dtype(dtype)

    def compute(x):
        if x.dtype.kind == "f" and dtype.kind == "i":
            require(np.all(np.abs(x) < 2 ** 31), "a float for an integer that is not between -2^31 and 2^31")
            return np.trunc(x).astype(dtype)
        if dtype == np.float16:
            require(np.all(np.abs(x.astype(np.float64)) < 65000),
                    "a number for f16 that is not between -65000 and 65000")
        return x.astype(dtype)
    return Value("Cast", [a], compute, dtype, {"to": TYPES[dtype]})
