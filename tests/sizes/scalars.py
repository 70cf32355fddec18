"""Sizes as scalars: a number that is computed from sizes is applied to every row, or selects a row or a graph."""
import numpy as np

from elements import add, cast, mul, where
from moves import gather, reduce


def scalar(setting):
    """Returns a random graph in which a computed scalar is a condition, an index of a row, a factor or a summand.
    `setting` is a random_cases.Setting."""
    random, x = setting.random, setting.rows()
    expressions, operations = setting.expressions(), random.randint(1, 6)
    kind = random.randrange(6)
    if kind == 0:
        return where(expressions.boolean(operations), x, mul(x, 2.0))
    if kind == 1:
        return add(x, gather(x, setting.within(expressions.integer(operations), x)))
    if kind == 2:
        return mul(reduce("ReduceMean", x), expressions.real(operations))
    number = expressions.integer(operations) if kind == 3 else expressions.real(operations)
    return add(x, cast(number, np.float32)) if number.dtype != np.float32 else add(x, number)
