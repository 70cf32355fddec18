"""How PyTorch's two exporters write operations on sizes: with the same meaning, but other nodes."""
import numpy as np

from moves import concat, gather, ints, pad, reshape, shape_of, slices, squeeze, unsqueeze
from values import Constant

LAST = 2 ** 63 - 1 # how exporters write "to the end"


class Spelling:
    """Code shared by both. A position or a dimension is a number, or a value that is a scalar."""

    def vector(self, numbers):
        """A vector of scalars: one constant if all are."""
        if all(isinstance(number, int) for number in numbers):
            return ints(*numbers)
        return concat([self.one(number) for number in numbers]) if len(numbers) > 1 else self.one(numbers[0])

    def one(self, number):
        return ints(number) if isinstance(number, int) else self.as_vector(number)

    def cut(self, data, start=0, end=LAST, axis=0, step=1):
        return slices(data, self.one(start), self.one(end), ints(axis), self.one(step))

    def reversed(self, data, axis=0):
        return self.cut(data, -1, -LAST, axis, -1)

    def pad_rows(self, data, before, after, fill=0.0):
        """Pads the rows of a matrix."""
        return pad(data, self.vector([before, 0, after, 0]), Constant(np.array(fill, data.dtype)))


class Script(Spelling):
    """torch.onnx.export(dynamo=False)"""
    name, constants_are_nodes = "script", True

    def size(self, data, axis=0):
        return gather(shape_of(data), Constant(np.array(axis, np.int64)))

    def as_vector(self, scalar):
        return unsqueeze(scalar, 0)


class Dynamo(Spelling):
    """torch.onnx.export(dynamo=True)"""
    name, constants_are_nodes = "dynamo", False

    def size(self, data, axis=0):
        return squeeze(shape_of(data, start=axis, end=axis + 1))

    def as_vector(self, scalar):
        return reshape(scalar, ints(-1))


SPELLINGS = [Script(), Dynamo()]
