"""Values of a graph. Each value is an ONNX node and, at given sizes, the array that numpy computes for it.

A Value has an operator, inputs, attributes, and `compute`, which maps the arrays of its inputs to the array of its
result. onnx_file.py writes the nodes, and `evaluate` runs numpy. Nothing here uses heddle.
"""
import numpy as np

MAX_ELEMENTS = 40000 # elements of a tensor: larger tensors only make the tests slow
MAX_INTEGER = 1 << 40 # computed integers must stay far from overflow, unless a cast wraps
MAX_FLOAT = 1e5 # the bound is relative to the largest number, and must be less than the effect of a wrong size


class Invalid(Exception):
    """The graph is undefined at some sizes, for example because of a division by zero or an index out of bounds."""


def require(condition, reason):
    if not condition:
        raise Invalid(reason)


class Value:
    """The result of one node. `branches` are the values of the two graphs of an If. `output` is the index and the
    number of outputs of an operator with several; each output that is used belongs to a separate node."""

    def __init__(self, op, inputs, compute, dtype, attributes=None, branches=None, output=(0, 1)):
        self.op, self.inputs, self.compute = op, list(inputs), compute
        self.dtype, self.attributes = np.dtype(dtype), attributes or {}
        self.branches, self.output = branches, output


class Input(Value):
    """A tensor that each call passes. It has a name and, for each dimension, a number or the name of a size."""

    def __init__(self, name, shape, dtype=np.float32):
        super().__init__("Input", [], None, dtype)
        self.name, self.shape = name, shape


class Constant(Value):
    def __init__(self, array):
        self.array = np.asarray(array)
        super().__init__("Constant", [], None, self.array.dtype)


class Evaluation:
    """The arrays of values in one call. `inputs` maps names to input arrays. `largest` is the largest finite float that
    is not a constant, on which the bound of rounding errors is based. `empty` says whether a tensor was empty."""

    def __init__(self, inputs):
        self.inputs, self.done, self.largest, self.empty = inputs, {}, 1.0, False

    def of(self, value):
        if value not in self.done:
            self.done[value] = self._compute(value)
        return self.done[value]

    def _compute(self, value):
        if isinstance(value, Input):
            return self.inputs[value.name]
        if isinstance(value, Constant):
            return value.array
        if value.branches:
            return self.of(value.branches[0 if self.of(value.inputs[0]) else 1])
        arrays = [None if operand is None else self.of(operand) for operand in value.inputs]
        with np.errstate(divide="raise", invalid="raise", over="raise", under="ignore"):
            try:
                result = np.asarray(value.compute(*arrays))
            except FloatingPointError as error:
                raise Invalid(str(error)) from error
        assert result.dtype == value.dtype, (value.op, result.dtype, value.dtype)
        self._check(result)
        return result

    def _check(self, result):
        require(result.size <= MAX_ELEMENTS, "too many elements")
        self.empty |= result.size == 0
        if result.dtype.kind == "f":
            finite = np.abs(result[np.isfinite(result)], dtype=np.float64)
            largest = finite.max(initial=0.0, where=finite < 1e30) # numbers that mask scores are not counted
            require(largest <= MAX_FLOAT, "a float is too large")
            self.largest = max(self.largest, largest)
        elif result.dtype.kind == "i" and result.size:
            require(max(abs(int(result.min())), abs(int(result.max()))) <= MAX_INTEGER, "an integer is too large")
