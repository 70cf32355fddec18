"""Sizes in tables: a size is combined with the positions of rows, element by element, which yields a vector or a matrix
of numbers (a table).

In each function below, `setting` is a random_cases.Setting, and `x` is a matrix [n, 8].
"""
import numpy as np

from elements import add, cast, constant, cosine, less_or_equal, mod, mul, sub, where
from layers import attention, matmul, softmax, weights
from moves import cumulative_sum, filled, gather, lower_triangle, reduce, span, transpose, unsqueeze


def places(setting, size):
    """Returns a vector of `size` integers, such as the positions 0, 1, ..."""
    kind = setting.random.randrange(8)
    if kind == 0:
        return span(sub(size, 1), constant(-1), constant(-1))
    if kind == 1:
        return span(constant(1), add(size, 1))
    if kind == 2:
        return span(constant(0), add(size, size), constant(2))
    if kind == 3:
        return cumulative_sum(filled(setting.spelling.vector([size]), 1, np.int64))
    if kind == 4:
        return span(size, add(size, size))
    return span(constant(0), size)


def floats(numbers):
    """Converts to float32, if necessary."""
    return numbers if numbers.dtype == np.float32 else cast(numbers, np.float32)


def rows_by_table(setting, x):
    """Combines a table [n] with a matrix [n, 8]."""
    random, size = setting.random, setting.spelling.size(x)
    expressions, operations = setting.expressions([places(setting, size)]), random.randint(1, 6)
    kind = random.randrange(7)
    if kind == 0: # `mask` is a scalar if the expression uses no position; mask_of makes it a vector
        mask = expressions.boolean(operations)
        return where(unsqueeze(mask_of(setting, mask, size), 1), x, 0.0)
    numbers = as_long(setting, expressions.integer(operations), size)
    if kind == 1:
        return gather(x, setting.within(numbers, x))
    if kind == 2:
        return add(x, gather(weights(16, 8), mod(numbers, 16)))
    if kind == 3:
        return add(x, cosine(mul(unsqueeze(floats(numbers), 1), 0.1)))
    if kind == 4:
        return add(x, cast(reduce("ReduceSum", numbers), np.float32))
    if kind == 5:
        return mul(x, unsqueeze(as_long(setting, expressions.real(operations), size), 1))
    return add(x, unsqueeze(floats(numbers), 1))


def as_long(setting, numbers, size):
    """Returns a vector of `size` numbers, even if `numbers` is a scalar."""
    return add(numbers, filled(setting.spelling.vector([size]), 0, numbers.dtype))


def mask_of(setting, mask, size):
    """Returns a boolean for each row, the negation of `mask`, even if `mask` is a scalar."""
    return less_or_equal(as_long(setting, cast(mask, np.int64), size), 0)


def table_alone(setting, x):
    """Returns a vector of integers as the output of the model."""
    size = setting.spelling.size(x)
    return as_long(setting, setting.expressions([places(setting, size)]).integer(setting.random.randint(1, 6)), size)


def scores(setting, x):
    """Uses a table [n, n], or [n, m] for two inputs, as a mask of attention scores or as numbers that are added to the
    scores."""
    random, other = setting.random, setting.other(x)
    rows, columns = (span(constant(0), setting.spelling.size(of)) for of in (x, other))
    expressions = setting.expressions([unsqueeze(rows, 1), unsqueeze(columns, 0)])
    made = matmul(x, transpose(other, 1, 0))
    if random.random() < 0.3:
        return add(made, floats(expressions.integer(random.randint(1, 6))))
    mask = expressions.boolean(random.randint(1, 6))
    if random.random() < 0.2:
        ones = filled(setting.spelling.vector([setting.spelling.size(of) for of in (x, other)]), 1.0, np.float32)
        return matmul(mul(made, lower_triangle(ones, setting.expressions().integer(random.randint(1, 3)))), other)
    if other is x and random.random() < 0.4:
        return attention(setting.spelling, x, mask)
    return matmul(softmax(where(mask, made, constant(-100.0, np.float32))), other)


def table(setting):
    """Calls rows_by_table, table_alone or scores, chosen at random, and returns the result."""
    x = setting.rows()
    return setting.random.choice([rows_by_table, rows_by_table, rows_by_table, table_alone, scores])(setting, x)
