"""How the two exporters of PyTorch write operations on sizes: the nodes differ, but have the same meaning."""
import numpy as np

from moves import concat, gather, ints, pad, reshape, shape_of, slices, squeeze, unsqueeze
from values import Constant

LAST = 2 ** 63 - 1 # the end of a slice that extends to the last element


class Spelling:
    """Code that both exporters share. Positions and extents are integers or scalar Values."""

    def vector(self, numbers):
        """Returns a vector of integers or scalar Values. It is a single constant if all of them are integers."""
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
        """Pads the rows of a matrix, or cuts them if a count is negative."""
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
