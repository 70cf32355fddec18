"""Spellings: how the two exporters of PyTorch write operations on sizes. Their ONNX nodes differ, but compute the same
values."""
import numpy as np

from moves import concat, gather, ints, pad, reshape, shape_of, slices, squeeze, unsqueeze
from values import Constant

LAST = 2 ** 63 - 1 # the end of a slice that extends to the last element


class Spelling:
    """Code that both spellings share. Positions and extents are Python integers or scalar Values (values.py).

    A subclass defines `size(data, axis)`, which returns the extent of a dimension of a tensor as a scalar, and
    `as_vector(scalar)`, which returns a vector whose only element is the scalar. It also has a `name`, and
    `constants_are_nodes`, which says whether constants are nodes of the file; otherwise they are initializers.
    """

    def vector(self, numbers):
        """Returns a vector of the numbers, which are integers or scalar Values. If all are integers, the vector is a
        constant."""
        if all(isinstance(number, int) for number in numbers):
            return ints(*numbers)
        return concat([self.one(number) for number in numbers]) if len(numbers) > 1 else self.one(numbers[0])

    def one(self, number):
        """Returns a vector with one element, an integer or a scalar Value."""
        return ints(number) if isinstance(number, int) else self.as_vector(number)

    def cut(self, data, start=0, end=LAST, axis=0, step=1):
        """Returns data[start:end:step] along the axis. Negative positions count from the end."""
        return slices(data, self.one(start), self.one(end), ints(axis), self.one(step))

    def reversed(self, data, axis=0):
        return self.cut(data, -1, -LAST, axis, -1)

    def pad_rows(self, data, before, after, fill=0.0):
        """Adds `before` rows at the beginning of a matrix and `after` rows at its end, filled with `fill`. A negative
        number removes rows."""
        return pad(data, self.vector([before, 0, after, 0]), Constant(np.array(fill, data.dtype)))


class Script(Spelling):
    """Nodes as torch.onnx.export(dynamo=False) writes them."""
    name, constants_are_nodes = "script", True

    def size(self, data, axis=0):
        return gather(shape_of(data), Constant(np.array(axis, np.int64)))

    def as_vector(self, scalar):
        return unsqueeze(scalar, 0)


class Dynamo(Spelling):
    """Nodes as torch.onnx.export(dynamo=True) writes them."""
    name, constants_are_nodes = "dynamo", False

    def size(self, data, axis=0):
        return squeeze(shape_of(data, start=axis, end=axis + 1))

    def as_vector(self, scalar):
        return reshape(scalar, ints(-1))


SPELLINGS = [Script(), Dynamo()]
