"""Graphs in which a condition on sizes selects what is computed: the branch of an If, whether a dimension has length 1,
or the shape of a result.

Each function below returns a graph. `setting` is a random_cases.Setting, `x` a matrix [n, 8], and `condition` a boolean
scalar that is computed from sizes.
"""
import numpy as np

from elements import add, cast, equal, minimum, mul, relu, where
from layers import softmax
from moves import choose, expand, ints, reduce, reshape, squeeze, tile


def of_values(setting, x, condition):
    """Chooses between graphs whose results have the same shape."""
    ways = [relu, softmax, lambda a: mul(a, 3.0), lambda a: add(a, reduce("ReduceSum", a)), lambda a: a,
            lambda a: add(a, cast(setting.extent(), np.float32))]
    first, second = setting.random.sample(ways, 2)
    return choose(condition, first(x), second(x))


def of_extents(setting, x, condition):
    """Chooses between graphs whose results have different shapes."""
    parts = [x, setting.spelling.cut(x, 0, setting.random.randint(1, 70)), setting.spelling.cut(x, setting.extent()),
             tile(x, ints(2, 1)), setting.spelling.pad_rows(x, 0, 1), setting.spelling.cut(x, 0, 1)]
    return choose(condition, *setting.random.sample(parts, 2))


def one_or_all(setting, x, condition):
    """Adds an operand that is broadcast if it has one row."""
    part = setting.spelling.cut(x, 0, where(condition, setting.spelling.size(x), 1))
    return add(x, part) if setting.random.random() < 0.6 else add(part, x)


def spread(setting, x, condition):
    """Expands one row or all rows to a computed number of rows."""
    size = setting.spelling.size(x)
    part = setting.spelling.cut(x, 0, where(condition, 1, size))
    return expand(part, setting.spelling.vector([where(condition, setting.extent(), size), 8]))


def without_ones(setting, x, condition):
    """Removes an axis if its length is 1."""
    part = setting.random.choice([x, setting.spelling.cut(x, 0, 1), setting.spelling.cut(x, 0, setting.extent())])
    return reshape(squeeze(part), ints(-1, 8))


def both(setting, x, condition):
    """Adds two inputs. If their numbers of rows differ, multiplies one input by 2, or adds only the first rows."""
    other = setting.other(x)
    size, length = setting.spelling.size(x), setting.spelling.size(other)
    if setting.random.random() < 0.5:
        return choose(equal(size, length), add(x, other), mul(x, 2.0))
    shorter = minimum(size, length)
    return add(setting.spelling.cut(x, 0, shorter), setting.spelling.cut(other, 0, shorter))


def one_shape_or_other(setting, x, condition):
    """Reshapes x to [n, 8] or [8, n], and sums over one axis."""
    size = setting.spelling.size(x)
    shape = where(condition, setting.spelling.vector([size, 8]), setting.spelling.vector([8, size]))
    return reduce("ReduceSum", reshape(x, shape), setting.random.choice([0, 1]))


def choice(setting):
    """Returns a random graph of this file."""
    x = setting.rows()
    condition = setting.expressions().boolean(setting.random.randint(1, 5))
    make = setting.random.choice([of_values, of_values, of_extents, one_or_all, one_or_all, spread, without_ones, both,
                                  one_shape_or_other])
    return make(setting, x, condition)
