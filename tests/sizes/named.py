"""Named cases, each as both exporters of PyTorch write it (spelling.py). Some of them are regression tests."""
import numpy as np

from cases import Case, matrix
from elements import (absolute, add, cast, ceil, constant, cosine, div, equal, less, log, logical_and, maximum, minimum,
                      mod, mul, reciprocal, sqrt, sub, where)
from layers import FOLLOWERS, matmul, softmax
from moves import (choose, concat, cumulative_sum, filled, gather, ints, pad, reduce, reshape, span, tile, transpose,
                   unsqueeze)
from spelling import SPELLINGS
from values import Constant, Input


def added(x, number):
    """Adds a scalar of any type to each element of x."""
    return add(x, cast(number, np.float32))


def column(numbers):
    """Converts [n] to [n, 1], as floats."""
    return unsqueeze(cast(numbers, np.float32), 1)


def positions(size):
    """Returns the vector 0, 1, ..., size - 1."""
    return span(constant(0), size)


def half_up(size):
    """Returns half of the size, rounded up, computed with floats."""
    return cast(ceil(div(cast(size, np.float32), 2)), np.int64)


# In SCALARS, TABLES and ROWS, each name is mapped to the range of the size s and a function of (spelling, x [s, 8], s),
# which returns the output of the model. In most functions of SCALARS, a number that is computed from s is applied to
# every row or selects a row.
SCALARS = {
    "equal": ((1, 511), lambda spelling, x, s: added(x, equal(s, 64))),
    "between": ((1, 511), lambda spelling, x, s: added(x, logical_and(less(constant(32), s), less(s, 64)))),
    "parity": ((5, 129), lambda spelling, x, s: added(x, mod(s, 2))),
    "every-seventh": ((2, 512), lambda spelling, x, s: added(x, equal(mod(s, 7), 0))),
    "half": ((1, 130), lambda spelling, x, s: added(x, div(s, 2))),
    "hundredth": ((1, 512), lambda spelling, x, s: added(x, div(s, 100))),
    "float-half": ((1, 130), lambda spelling, x, s: add(x, div(cast(s, np.float32), 2))),
    "root": ((1, 512), lambda spelling, x, s: add(x, sqrt(cast(s, np.float32)))),
    "logarithm": ((1, 512), lambda spelling, x, s: add(x, log(cast(s, np.float32)))),
    "reciprocal": ((1, 512), lambda spelling, x, s: mul(x, reciprocal(cast(s, np.float32)))),
    "float-half-up": ((1, 130), lambda spelling, x, s: added(x, half_up(s))),
    "root-cut": ((1, 512), lambda spelling, x, s: added(x, cast(sqrt(cast(s, np.float32)), np.int64))),
    "sum-of-positions": ((1, 64), lambda spelling, x, s: added(x, mod(reduce("ReduceSum", positions(s)), 7))),
    "rest-of-negative": ((1, 64), lambda spelling, x, s: added(x, mod(sub(constant(9), s), -3))),
    "product": ((1, 64), lambda spelling, x, s: added(x, mul(s, s))),
    "least": ((1, 64), lambda spelling, x, s: added(x, minimum(s, 40))),
    "distance": ((1, 64), lambda spelling, x, s: added(x, absolute(sub(s, 20)))),
    "through-i32": ((1, 64), lambda spelling, x, s: added(x, mod(cast(mul(s, 200000000), np.int32), 101))),
    "through-f16": ((2040, 2060), lambda spelling, x, s: added(x, cast(s, np.float16))),
    "mean": ((1, 129), lambda spelling, x, s: reduce("ReduceMean", x)),
    "row-where-there-is-one": ((1, 12), lambda spelling, x, s: add(
        x, gather(x, maximum(minimum(constant(1), sub(s, 1)), 0)))),
    "last-row": ((1, 64), lambda spelling, x, s: add(x, gather(x, sub(s, 1)))),
    "middle-row": ((1, 64), lambda spelling, x, s: add(x, gather(x, div(s, 2)))),
}
# In most of these functions, a vector or matrix is computed from s and from the positions of rows.
TABLES = {
    "positions": ((1, 129), lambda spelling, x, s: add(x, column(positions(s)))),
    "positions-from-the-end": ((1, 129), lambda spelling, x, s: add(x, column(sub(s, positions(s))))),
    "parity-from-the-end": ((5, 129), lambda spelling, x, s: add(x, column(mod(sub(s, positions(s)), 2)))),
    "positions-modulo": ((1, 129), lambda spelling, x, s: add(x, column(mod(positions(s), 7)))),
    "positions-and-size-modulo": ((1, 129), lambda spelling, x, s: add(x, column(mod(add(positions(s), s), 5)))),
    "counting-down": ((1, 129), lambda spelling, x, s: add(x, column(span(sub(s, 1), constant(-1), constant(-1))))),
    "first-half": ((1, 129), lambda spelling, x, s: where(unsqueeze(less(positions(s), div(s, 2)), 1), x, 0)),
    "angles": ((1, 129), lambda spelling, x, s: add(x, cosine(mul(column(positions(s)), 0.1)))),
    "relative-angles": ((1, 129), lambda spelling, x, s: add(
        x, cosine(div(column(positions(s)), cast(s, np.float32))))),
    "cumulative-sum": ((1, 129), lambda spelling, x, s: cumulative_sum(x)),
    "distances": ((1, 40), lambda spelling, x, s: cast(
        absolute(sub(unsqueeze(positions(s), 0), unsqueeze(positions(s), 1))), np.float32)),
    "counted": ((1, 40), lambda spelling, x, s: add(
        x, column(cumulative_sum(filled(spelling.vector([s]), 1, np.int64))))),
    "divided-by-places": ((1, 40), lambda spelling, x, s: add(x, column(mod(s, add(positions(s), 1))))),
    # Compiled code computes with whole vectors, which include lanes beyond the last row. Such a lane may read a number
    # that is not in the list, such as 0, so it must not divide by this number.
    "divided-by-a-list": ((1, 4), lambda spelling, x, s: add(
        x, column(mod(constant(9), gather(constant([2, 8, 9, 7]), mod(positions(s), 4)))))),
    "mirrored-rows": ((1, 64), lambda spelling, x, s: gather(x, sub(sub(s, positions(s)), 1))),
}
ROWS = { # the functions return a matrix of 8 columns, to which layers.FOLLOWERS may be applied (FOLLOWED_BY_ALL)
    "roll": ((1, 40), lambda spelling, x, s: concat([spelling.cut(x, -1), spelling.cut(x, 0, -1)])),
    "roll-back": ((1, 40), lambda spelling, x, s: concat([spelling.cut(x, 1), spelling.cut(x, 0, 1)])),
    "roll-by-half": ((2, 40), lambda spelling, x, s: concat(
        [spelling.cut(x, div(s, 2)), spelling.cut(x, 0, div(s, 2))])),
    "shift": ((1, 40), lambda spelling, x, s: spelling.pad_rows(x, 1, -1)),
    "shift-back": ((1, 40), lambda spelling, x, s: spelling.pad_rows(x, -1, 1)),
    "front-half": ((2, 40), lambda spelling, x, s: spelling.cut(x, 0, div(s, 2))),
    "front-half-or-nothing": ((1, 40), lambda spelling, x, s: spelling.cut(x, 0, div(s, 2))),
    "back-half": ((1, 40), lambda spelling, x, s: spelling.cut(x, div(s, 2))),
    "reversed": ((1, 40), lambda spelling, x, s: spelling.reversed(x)),
    "every-second": ((1, 40), lambda spelling, x, s: spelling.cut(x, step=2)),
    "last-three": ((1, 40), lambda spelling, x, s: spelling.cut(x, -3)),
    "first-64": ((1, 100), lambda spelling, x, s: spelling.cut(x, 0, 64)),
    "last-64": ((1, 100), lambda spelling, x, s: spelling.cut(x, -64)),
    "but-the-last": ((2, 40), lambda spelling, x, s: spelling.cut(x, 0, -1)),
    "padded-at-both-ends": ((1, 40), lambda spelling, x, s: spelling.pad_rows(x, 1, 2)),
    "padded-to-64": ((1, 130), lambda spelling, x, s: spelling.pad_rows(x, 0, mod(sub(64, mod(s, 64)), 64))),
    "padded-to-7": ((1, 40), lambda spelling, x, s: spelling.pad_rows(x, 0, mod(sub(constant(0), s), 7))),
    "twice": ((1, 40), lambda spelling, x, s: tile(x, ints(2, 1))),
    "one-size": ((4, 4), lambda spelling, x, s: concat([spelling.cut(x, -3, 64), x])),
    "front-half-by-floats": ((1, 40), lambda spelling, x, s: spelling.cut(x, 0, half_up(s))),
    "some-or-one": ((1, 40), lambda spelling, x, s: spelling.cut(x, 0, where(less(constant(9), s), s, 1))),
    "rest-to-64": ((1, 40), lambda spelling, x, s: spelling.pad_rows(x, 0, sub(64, s))),
    "made-and-rest-to-64": ((1, 40), lambda spelling, x, s: spelling.pad_rows(
        filled(spelling.vector([s, 8]), 1.5, np.float32), 0, sub(64, s))),
    "at-most-4-rows": ((1, 40), lambda spelling, x, s: reshape(
        reshape(x, spelling.vector([-1, minimum(s, 4)])), ints(-1, 8))),
    "part-of-a-part": ((1, 130), lambda spelling, x, s: spelling.cut(spelling.cut(x, 3), minimum(s, 8))),
    "other-rows": ((1, 40), lambda spelling, x, s: reshape(transpose(x, 1, 0), spelling.vector([s, 8]))),
    "short-or-all": ((1, 40), lambda spelling, x, s: choose(less(s, 16), x, spelling.cut(x, 0, 16))),
    "one-or-all": ((1, 40), lambda spelling, x, s: add(x, spelling.cut(x, 0, where(less(constant(9), s), s, 1)))),
}
def mean_of_rows(spelling, x, s):
    return div(reduce("ReduceSum", x, 1), cast(s, np.float32))


# Functions of (spelling, x [b, s, 8], s) that return the output of the model.
SENTENCES = {
    "sentences-flat": lambda spelling, x, s: reshape(x, spelling.vector([mul(spelling.size(x), s), 8])),
    "sentences-mean": mean_of_rows,
    "sentences-last": lambda spelling, x, s: gather(x, sub(s, 1), 1),
    "sentences-roll": lambda spelling, x, s: concat([spelling.cut(x, -1, axis=1), spelling.cut(x, 0, -1, axis=1)], 1),
    "sentences-first-half": lambda spelling, x, s: spelling.cut(x, 0, div(s, 2), axis=1),
    "sentences-every-second": lambda spelling, x, s: spelling.cut(x, axis=1, step=2),
    "sentences-reversed": lambda spelling, x, s: spelling.reversed(x, 1),
    "sentences-padded-to-8": lambda spelling, x, s: pad(
        x, spelling.vector([0, 0, 0, 0, mod(sub(8, mod(s, 8)), 8), 0]), Constant(np.array(0, np.float32))),
    "sentences-blocks": lambda spelling, x, s: reduce("ReduceMax", reshape(
        spelling.cut(x, 0, mul(div(s, 2), 2), axis=1), spelling.vector([spelling.size(x), div(s, 2), 2, 8])), 2),
    "sentences-positions": lambda spelling, x, s: add(x, unsqueeze(column(sub(s, positions(s))), 0)),
}
# The names of ROWS for which there is also a case with each operation of layers.FOLLOWERS.
FOLLOWED_BY_ALL = ["roll", "shift", "front-half", "reversed", "every-second", "last-three", "padded-to-64"]


def of_one_size(name, spelling, bounds, build):
    """Returns a case with one input x [s, 8]. `bounds` is the range of s."""
    x = matrix("x", "s")
    return Case(name, spelling, {"s": bounds}, [x], build(spelling, x, spelling.size(x)))


def of_sentences(name, spelling, build):
    """Returns a case with one input x [b, s, 8]."""
    x = Input("x", ["b", "s", 8])
    return Case(name, spelling, {"b": (1, 3), "s": (2, 19)}, [x], build(spelling, x, spelling.size(x, 1)))


def equal_sizes(name, spelling):
    """Two sizes that may be equal: all rows are multiplied by 5 if the sizes are equal, and otherwise by 7."""
    x0, x1 = matrix("x0", "n"), matrix("x1", "m")
    factor = where(equal(spelling.size(x0), spelling.size(x1)), constant(5), constant(7))
    return Case(name, spelling, {"n": (3, 8), "m": (4, 9)}, [x0, x1],
                concat([mul(x, cast(factor, np.float32)) for x in (x0, x1)]))


def no_keys(name, spelling):
    """Attention with t keys, where t may be 0. The sum over no keys must be 0."""
    x, y = matrix("x", "s"), matrix("y", "t")
    scores = matmul(x, transpose(y, 1, 0))
    mask = less(unsqueeze(positions(spelling.size(x)), 1), add(unsqueeze(positions(spelling.size(y)), 0), 2))
    masked = where(mask, scores, constant(-100.0, np.float32))
    return Case(name, spelling, {"s": (1, 4), "t": (0, 3)}, [x, y], matmul(softmax(masked), y))


def named_cases():
    """Returns all cases by name."""
    cases = {}

    def put(case):
        cases[case.name] = case
    for spelling in SPELLINGS:
        for kind in (SCALARS, TABLES, ROWS):
            for name, (bounds, build) in kind.items():
                put(of_one_size(f"{name}-{spelling.name}", spelling, bounds, build))
        for name, build in SENTENCES.items():
            put(of_sentences(f"{name}-{spelling.name}", spelling, build))
        for name in FOLLOWED_BY_ALL:
            (low, high), build = ROWS[name]
            for follower, follow in FOLLOWERS.items():
                if follower != "alone":
                    put(of_one_size(f"{name}-{follower}-{spelling.name}", spelling, (low, min(high, 70)),
                                    lambda spelling, x, s: follow(spelling, build(spelling, x, s))))
        put(equal_sizes(f"equal-sizes-{spelling.name}", spelling))
        put(no_keys(f"no-keys-{spelling.name}", spelling))
    return cases
