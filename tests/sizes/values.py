"""Values of a graph. Each value is an ONNX node and, at given sizes, the array that numpy computes for it.

A Value has an operator, inputs, attributes, and `compute`, which maps the arrays of its inputs to the array of its
result. onnx_file.py writes the nodes, and an Evaluation computes the arrays. Nothing here uses heddle.
"""
import numpy as np

MAX_ELEMENTS = 40000 # the maximum number of elements of a tensor: larger tensors only make the tests slow
MAX_INTEGER = 1 << 40 # the largest magnitude of a computed integer, far from overflow: only casts may wrap
# The accepted error of a result is proportional to the largest number in the graph. It must be less than the effect of
# a wrong size, so a graph with larger numbers is invalid.
MAX_FLOAT = 1e5


class Invalid(Exception):
    """The graph is undefined at some sizes, for example because of a division by zero or an index out of bounds."""


def require(condition, reason):
    """Raises Invalid unless the condition is true."""
    if not condition:
        raise Invalid(reason)


class Value:
    """The result of one node. `op` is the name of the ONNX operator. `inputs` are Values, or None for an optional input
    that is absent. `branches` are the results of the two graphs of an If (then, else), for which `compute` is None.
    `output` is a pair: which output of the node the value is, and how many outputs the node has. If a graph uses two
    outputs of an operator, its file contains two equal nodes, one for each of these Values."""

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
    """A tensor whose elements are stored in the file."""

    def __init__(self, array):
        self.array = np.asarray(array)
        super().__init__("Constant", [], None, self.array.dtype)


class Evaluation:
    """The arrays of values in one call. `inputs` maps the names of inputs to arrays, and `done` maps Values to computed
    arrays. `largest` is the largest magnitude of a computed float (at least 1), to which the accepted error of the
    result is proportional. `empty` is true if a computed tensor was empty."""

    def __init__(self, inputs):
        self.inputs, self.done, self.largest, self.empty = inputs, {}, 1.0, False

    def of(self, value):
        """Returns the array of a Value. Raises Invalid if the Value is undefined."""
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
        """Raises Invalid if the array or a number in it is too large. Updates `largest` and `empty`."""
        require(result.size <= MAX_ELEMENTS, "too many elements")
        self.empty |= result.size == 0
        if result.dtype.kind == "f":
            finite = np.abs(result[np.isfinite(result)], dtype=np.float64)
            largest = finite.max(initial=0.0, where=finite < 1e30) # the scores of masked keys are below -1e30
            require(largest <= MAX_FLOAT, "a float is too large")
            self.largest = max(self.largest, largest)
        elif result.dtype.kind == "i" and result.size:
            require(max(abs(int(result.min())), abs(int(result.max()))) <= MAX_INTEGER, "an integer is too large")
