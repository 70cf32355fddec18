"""A case is a graph with ranges for its sizes. For each combination of sizes, it has inputs and the result that numpy
computes."""
import collections
import dataclasses
import itertools
import random

import numpy as np

from values import Constant, Evaluation, Input, Value

COLUMNS = 8


def matrix(name, size):
    """Returns an input of shape [size, 8]."""
    return Input(name, [size, COLUMNS])


@dataclasses.dataclass
class Case:
    """`ranges` maps the names of at most two sizes to their smallest and largest values, both inclusive. `inputs` are
    the inputs of the model, and `value` is its output. `spelling` is one of spelling.SPELLINGS, the ways in which
    exporters write operations on sizes."""
    name: str
    spelling: object
    ranges: dict
    inputs: list
    value: Value
    fixed: bool = False # whether the case is compiled without ranges; each range then contains one number

    def sizes(self):
        """Returns every combination of sizes, each as a dictionary from names to numbers."""
        every = itertools.product(*(range(low, high + 1) for low, high in self.ranges.values()))
        return [dict(zip(self.ranges, numbers)) for numbers in every]

    def at_one_choice(self):
        """Returns this case without ranges, for a single combination of sizes, none of which is 0. The name of the case
        determines the combination."""
        choices = [sizes for sizes in self.sizes() if all(sizes.values())]
        sizes = random.Random(self.name).choice(choices)
        return dataclasses.replace(self, ranges={name: (number, number) for name, number in sizes.items()}, fixed=True)

    def inputs_at(self, sizes):
        """Returns random inputs by their names. They depend only on the sizes, so all processes use equal inputs."""
        numbers = np.random.default_rng([17, *sizes.values()])
        return {operand.name: numbers.standard_normal([sizes.get(extent, extent) for extent in operand.shape])
                .astype(operand.dtype) for operand in self.inputs}

    def expected(self, sizes):
        """Returns the inputs, the result, the largest accepted error of an element (0 for integers), and the Evaluation
        that computed the result."""
        inputs = self.inputs_at(sizes)
        evaluation = Evaluation(inputs)
        result = evaluation.of(self.value)
        bound = 5e-6 * evaluation.largest if result.dtype.kind == "f" else 0
        return inputs, result, bound, evaluation

    def examine(self):
        """Computes the graph at all sizes with numpy, and returns an Examined. Raises Invalid if the graph is
        undefined at one of the sizes."""
        evaluations = [self.expected(sizes)[3] for sizes in self.sizes()]
        numbers = collections.defaultdict(set)
        for evaluation in evaluations:
            for value, array in evaluation.done.items():
                if array.ndim == 0 and not isinstance(value, Constant):
                    numbers[value].add(array.item())
        steady = sum(len(found) == 1 for found in numbers.values())
        return Examined(any(evaluation.empty for evaluation in evaluations), steady / max(len(numbers), 1))


@dataclasses.dataclass
class Examined:
    """`empty`: whether a tensor is empty at some size. `steady`: the share (0 to 1) of computed scalars that are equal
    at all sizes. A case with many such scalars tests little."""
    empty: bool
    steady: float
