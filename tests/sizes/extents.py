"""Sizes as dimensions: rows are cut, repeated, padded and reshaped by numbers that are computed from sizes.

The functions in MOVES take a random_cases.Setting and a matrix x [n, 8], and return a matrix with 8 columns. Most of
them change the number or the order of the rows.
"""
import numpy as np

from elements import add, cast, clip, constant, div, maximum, minimum, mod, sub
from moves import concat, expand, filled, ints, largest, reshape, span, split, tile, unsqueeze
from spelling import LAST
from values import Constant

ROW = Constant(np.arange(8, dtype=np.float32))


def part(setting, x):
    """Returns x[a:b] or x[a:b:step]."""
    first, second = setting.places_for_cut(x)
    return setting.spelling.cut(x, first, second, step=setting.random.choice([1, 1, 1, 1, 2, 3]))


def end(setting, x):
    """Returns x[a:], x[-a:], x[:a] or x[:-a]."""
    place = setting.extent()
    if setting.random.random() < 0.3:
        place = setting.random.choice([1, 2, 3, 5, 64])
    elif setting.random.random() < 0.3:
        place = sub(constant(0), place)
    if isinstance(place, int) and setting.random.random() < 0.5:
        place = -place
    return setting.spelling.cut(x, place) if setting.random.random() < 0.5 else setting.spelling.cut(x, 0, place)


def backwards(setting, x):
    """Returns all rows, or every second or third row, in reverse order."""
    if setting.random.random() < 0.6:
        return setting.spelling.reversed(x)
    return setting.spelling.cut(x, -1, -LAST, step=setting.random.choice([-2, -3]))


def roll(setting, x):
    """Returns the rows rotated: x[a:] followed by x[:a]."""
    by = setting.random.choice([1, -1, 2, setting.extent()])
    return concat([setting.spelling.cut(x, by), setting.spelling.cut(x, 0, by)])


def padded(setting, x):
    """Adds rows before and after x. A negative count removes rows."""
    random = setting.random
    if random.random() < 0.4: # pads the rows to a multiple of `unit`
        unit = random.choice([2, 4, 7, 8, 64])
        rest = mod(sub(unit, mod(setting.spelling.size(x), unit)), unit)
        return setting.spelling.pad_rows(x, *random.choice([(0, rest), (rest, 0)]))
    if random.random() < 0.5:
        return setting.spelling.pad_rows(x, *random.choice([(1, -1), (-1, 1), (0, 3), (2, 2), (-2, 0), (3, -1)]))
    counts = [setting.extent(), random.choice([0, 1, -1, setting.extent()])]
    random.shuffle(counts)
    return setting.spelling.pad_rows(x, *counts, fill=0.5)


def tiled(setting, x):
    """Repeats the whole matrix a constant or computed number of times."""
    if setting.random.random() < 0.4:
        return tile(x, ints(setting.random.choice([1, 2, 3]), 1))
    return tile(x, setting.spelling.vector([clip(setting.extent(), 0, 9), 1]))


def expanded(setting, x):
    """Repeats one row a computed number of times."""
    row = setting.random.choice([setting.spelling.cut(x, 0, 1), ROW])
    return expand(row, setting.spelling.vector([setting.extent(), 8]))


def reshaped(setting, x):
    """Reshapes to two or three dimensions that depend on the size, and then to 8 columns."""
    size, random = setting.spelling.size(x), setting.random
    shape = random.choice([[size, -1], [-1, size], [div(size, 2), -1], [size, 2, 4], [-1, minimum(size, 8)],
                           [div(size, 2), 2, -1], [-1, setting.extent()], [maximum(setting.extent(), 1), -1]])
    return reshape(reshape(x, setting.spelling.vector(shape)), ints(-1, 8))


def positions(setting, x):
    """Returns a matrix with a computed number of rows, whose elements depend on their positions and not on x."""
    return add(unsqueeze(cast(span(constant(0), setting.extent()), np.float32), 1), ROW)


def made(setting, x):
    """Returns a matrix of equal elements with a computed number of rows."""
    return filled(setting.spelling.vector([setting.extent(), 8]), 1.5, np.float32)


def joined(setting, x):
    """Returns a part of the rows of x, which may be empty, followed by x."""
    return concat([setting.random.choice([part, end])(setting, x), x])


def one_of_parts(setting, x):
    """Splits x into two parts, and returns one of them."""
    size = setting.spelling.size(x)
    first = setting.random.choice([div(size, 2), minimum(size, setting.random.randint(1, 9)), setting.extent()])
    return split(x, setting.spelling.vector([first, sub(size, first)]), setting.random.randrange(2), 2)


def best(setting, x):
    """Returns the largest elements of each column, in descending order. The number of elements is computed."""
    size = setting.spelling.size(x)
    return largest(x, setting.spelling.one(minimum(size, setting.extent())))


# The functions of this file. A function that is listed several times is chosen more often.
MOVES = [part, part, end, end, end, backwards, roll, roll, padded, padded, padded, tiled, expanded, reshaped, positions,
         made, joined, one_of_parts, best]


def extent(setting):
    """Applies one or two operations that move rows. The second operation is applied to the result of the first one, and
    may compute with the number of rows of this result. Afterwards, the function may add a computed number, and apply an
    operation of layers.FOLLOWERS."""
    x = setting.rows()
    for _ in range(setting.random.choice([1, 1, 2])):
        x = setting.random.choice(MOVES)(setting, x)
        setting.know(x)
    if setting.random.random() < 0.2:
        x = add(x, setting.expressions().real(2))
    return setting.follow(x)
