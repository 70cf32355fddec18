"""Random expressions of sizes, and of sizes together with positions in a tensor."""
import numpy as np

from elements import (absolute, add, as_value, cast, ceil, clip, constant, cosine, div, equal, floor, fmod, greater,
                      greater_or_equal, less, less_or_equal, log, logical_and, logical_not, logical_or, logical_xor,
                      maximum, minimum, mod, mul, negative, reciprocal, sign, sqrt, sub, where)
from moves import gather, reduce, span
from values import Constant

COMPARISONS = [equal, less, less_or_equal, greater, greater_or_equal]
DIVISORS = [2, 2, 3, 4, 5, 7, 8, 16, 60, 64, 100, -3]


class Expressions:
    """Makes random expressions. `operations` is the approximate number of operations in an expression.

    `random` is a random.Random, and `high` is the largest size. A leaf, which is an expression without operations, is
    one of `scalars`, the values that are computed from sizes; a constant, usually at most `high` + 1; or one of
    `places`, integer tensors such as positions, whose shapes can be broadcast to a common shape. An expression that
    uses some of `places` is a tensor.
    """

    def __init__(self, random, spelling, scalars, high, places=()):
        self.random, self.spelling, self.scalars, self.high, self.places = random, spelling, scalars, high, places

    def split(self, operations):
        """Divides the operations between two operands; returns two numbers."""
        first = self.random.randint(0, operations)
        return first, operations - first

    def number(self):
        """Returns a random integer: a number from 1 to `high` + 1, or a number from a fixed list."""
        kind = self.random.random()
        if kind < 0.5:
            return self.random.randint(1, self.high + 1)
        return self.random.choice([1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 64, 100, -1, 0])

    def leaf(self):
        """Returns an expression without operations."""
        kind = self.random.random()
        if self.places and kind < 0.6:
            return self.random.choice(self.places)
        return constant(self.number()) if kind > 0.93 else self.random.choice(self.scalars)

    def integer(self, operations):
        """Returns an expression of type int64."""
        if operations <= 0:
            return self.leaf()
        makers = [self.sum_or_product, self.sum_or_product, self.quotient, self.quotient, self.extreme, self.selected,
                  self.narrowed, self.one_operand, self.looked_up, self.reduced, self.of_boolean, self.of_real]
        return self.random.choice(makers)(operations - 1)

    def operand(self, operations):
        """Returns a constant, or an expression with the given number of operations."""
        return as_value(self.number()) if operations == 0 and self.random.random() < 0.5 else self.integer(operations)

    def pair(self, operations):
        """Returns two operands, the first or second of which may be a constant."""
        first, second = self.split(operations)
        pair = [self.integer(first), self.operand(second)]
        if self.random.random() < 0.3:
            pair.reverse()
        return pair

    def sum_or_product(self, operations):
        return self.random.choice([add, sub, sub, mul])(*self.pair(operations))

    def quotient(self, operations):
        make = self.random.choice([div, div, mod, mod, fmod])
        if self.random.random() < 0.8:
            return make(self.integer(operations), self.random.choice(DIVISORS))
        return make(*self.pair(operations))

    def extreme(self, operations):
        """Returns a minimum or maximum."""
        return self.random.choice([minimum, maximum])(*self.pair(operations))

    def selected(self, operations):
        """Returns an expression that selects one of two expressions by a condition."""
        first, rest = self.split(operations)
        return where(self.boolean(max(first, 1)), *self.pair(rest))

    def narrowed(self, operations):
        """Converts an integer to another type and back."""
        dtype = self.random.choice([np.int32, np.int32, np.float32, np.float64, np.float16, np.bool_])
        return cast(cast(self.integer(operations), dtype), np.int64)

    def one_operand(self, operations):
        of = self.integer(operations)
        make = self.random.choice([negative, absolute, sign, lambda a: clip(a, 0, self.number())])
        return make(of)

    def looked_up(self, operations):
        """Returns the element of a constant table at a computed index."""
        table = [self.random.randint(0, 9) for _ in range(self.random.choice([4, 8]))]
        return gather(Constant(np.array(table, np.int64)), mod(self.integer(operations), len(table)))

    def reduced(self, operations):
        """Returns the sum, the minimum or the maximum of a tensor that is computed from sizes."""
        if self.places:
            table = add(self.random.choice(self.places), self.integer(operations))
            return reduce(self.random.choice(["ReduceSum", "ReduceMax", "ReduceMin"]), table, -1, 1)
        if self.random.random() < 0.5:
            pair = [self.integer(part) for part in self.split(operations)]
            return reduce(self.random.choice(["ReduceSum", "ReduceMax", "ReduceMin"]), self.spelling.vector(pair))
        return reduce("ReduceSum", span(constant(0), clip(self.integer(operations), 0, 30)))

    def of_boolean(self, operations):
        return cast(self.boolean(max(operations, 1)), np.int64)

    def of_real(self, operations):
        """Returns the integral part of a square root, or a quotient that is rounded up or down. The root or the
        quotient is computed with floats. It is exact, or so far from an integer that its rounding error does not change
        the result."""
        of = cast(self.integer(operations), np.float32)
        if self.random.random() < 0.5:
            return cast(sqrt(maximum(of, 0)), np.int64)
        return cast(self.random.choice([floor, ceil])(div(of, float(self.random.choice([2, 3, 8])))), np.int64)

    def of_floats(self, operations):
        """Compares a number divided by 2 or 4 with a constant. The division is exact, so the comparison is
        unambiguous."""
        of = div(cast(self.integer(operations), np.float32), float(self.random.choice([2, 4])))
        return self.random.choice(COMPARISONS)(of, self.number() + self.random.choice([0.0, 0.5]))

    def boolean(self, operations):
        """Returns an expression of type bool."""
        if operations > 1 and self.random.random() < 0.1:
            return self.of_floats(operations - 2)
        if operations <= 2 or self.random.random() < 0.5:
            return self.random.choice(COMPARISONS)(*self.pair(operations - 1))
        if self.random.random() < 0.2:
            return logical_not(self.boolean(operations - 1))
        make = self.random.choice([logical_and, logical_or, logical_xor])
        return make(self.boolean(operations // 2), self.boolean(operations - operations // 2 - 1))

    def real(self, operations):
        """Returns an expression of type float32."""
        kind = self.random.randrange(8)
        if operations <= 0 or kind == 0:
            return cast(self.integer(operations), np.float32)
        if kind == 1:
            return sqrt(cast(absolute(self.integer(operations - 1)), np.float32))
        if kind == 2:
            return log(cast(maximum(self.integer(operations - 1), 1), np.float32))
        if kind == 3:
            return reciprocal(cast(maximum(self.integer(operations - 1), 1), np.float32))
        if kind == 4:
            return cosine(mul(self.real(operations - 1), self.random.choice([0.1, 0.5])))
        if kind == 5:
            return cast(self.boolean(operations), np.float32)
        if kind == 6:
            return div(self.real(operations - 1), float(self.random.choice([2, 3, 8, 100])))
        first, second = self.split(operations - 1)
        return self.random.choice([add, sub, mul])(self.real(first), self.real(second))
