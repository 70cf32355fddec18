"""Random cases. Each is determined by a seed and by a way in which sizes are used: as scalars, as extents, in tables,
or in conditions."""
import random

from cases import COLUMNS, Case, matrix
from choices import choice
from elements import add, maximum, minimum, mod, relu, sub
from expressions import Expressions
from extents import MOVES, extent
from layers import FOLLOWERS
from moves import concat, ints, reshape, unsqueeze
from scalars import scalar
from spelling import SPELLINGS
from tables import table
from values import Invalid

WAYS = {"scalar": scalar, "extent": extent, "table": table, "choice": choice}
# The ranges of sizes in cases with one size. Some contain 8, 16 or 64, where vectors and tiles end.
RANGES = [(1, 12), (5, 40), (60, 70), (2, 9), (1, 3), (3, 17), (30, 66), (4, 4), (1, 12), (2, 9), (1, 130), (2, 200)]
MAX_STEADY = 0.2 # the largest share of scalars that are equal at all sizes (Examined.steady) in most cases
RANGES_OF_TWO = [(1, 8), (2, 9), (5, 12), (60, 66), (3, 5), (1, 3)]


def beside_each_other(inputs):
    """Adds each row of one input [s, 8] to each row of another [t, 8]; returns [s * t, 8]."""
    return reshape(add(unsqueeze(inputs[0], 1), unsqueeze(inputs[1], 0)), ints(-1, COLUMNS))


class Setting:
    """The inputs of a random graph, and the sizes that the graph may use. There is one input x [s, 8], or there are two
    inputs x [s, 8] and y [t, 8]. `chance` is the random.Random of the case."""

    def __init__(self, chance, may_be_empty):
        self.random, self.spelling = chance, chance.choice(SPELLINGS)
        two = chance.random() < 0.35
        bounds = (RANGES_OF_TWO if two else RANGES) + ([(0, 6), (0, 4)] if may_be_empty else [])
        self.ranges = {name: chance.choice(bounds) for name in ("st" if two else "s")}
        self.inputs = [matrix(name, size) for name, size in zip("xy", self.ranges)]
        self.scalars = [self.spelling.size(operand) for operand in self.inputs]
        self.high = max(high for _, high in self.ranges.values())

    def rows(self):
        """Returns an input, or a matrix that is computed from inputs. Expressions that are made later may use the
        number of rows of this matrix."""
        x, kind = self.random.choice(self.inputs), self.random.random()
        if kind < 0.6:
            return x
        if kind < 0.7:
            return relu(x)
        if kind < 0.8 and len(self.inputs) == 2:
            x = self.random.choice([concat, beside_each_other])(self.inputs)
        else:
            x = self.random.choice(MOVES)(self, x)
        self.know(x)
        return x

    def other(self, x):
        """Returns another input, if there is one, in four of five calls; otherwise x."""
        others = [operand for operand in self.inputs if operand is not x]
        return others[0] if others and self.random.random() < 0.8 else x

    def know(self, x):
        """Adds the number of rows of x to the scalars that further expressions may use."""
        self.scalars = [*self.scalars, self.spelling.size(x)]

    def expressions(self, places=()):
        """Returns a generator of expressions of the known sizes; `places` are further leaves (expressions.py)."""
        return Expressions(self.random, self.spelling, self.scalars, self.high, places)

    def extent(self):
        """Returns a computed number that is used as a number of rows or as a position. It may be negative at some
        sizes."""
        made = self.expressions().integer(self.random.choice([1, 1, 2, 2, 3, 4, 5, 6]))
        kind = self.random.random()
        if kind < 0.3:
            return minimum(maximum(made, 0), self.random.choice([8, 20, 80]))
        return add(mod(made, self.random.choice([3, 7, 20])), self.random.choice([0, 1])) if kind < 0.5 else made

    def places_for_cut(self, x):
        """Returns the start and the end of a slice of rows. Each of them is a number or a computed value."""
        first = self.random.choice([0, 1, 2, self.extent(), -3])
        return first, self.random.choice([self.extent(), -1, sub(self.spelling.size(x), 1), 64])

    def within(self, indices, x):
        """Returns the indices, modulo the number of rows or clamped, so that they are indices of rows of x."""
        size = self.spelling.size(x)
        if self.random.random() < 0.5:
            return mod(indices, size)
        return maximum(minimum(indices, sub(size, 1)), 0)

    def follow(self, x):
        """Returns x, or the result of one operation of layers.FOLLOWERS on x."""
        name = self.random.choice(["alone"] * len(FOLLOWERS) + list(FOLLOWERS))
        return FOLLOWERS[name](self.spelling, x)


def random_case(way, seed):
    """Returns a case and its Examined (cases.py). In seven of ten cases no tensor is empty at any size. In nine of ten
    cases at most MAX_STEADY of the computed scalars are equal at all sizes."""
    chance = random.Random(f"{way} {seed}")
    may_be_empty, may_be_steady = chance.random() < 0.3, chance.random() < 0.1
    while True:
        setting = Setting(chance, may_be_empty)
        case = Case(f"{way}-{seed}", setting.spelling, setting.ranges, setting.inputs, WAYS[way](setting))
        try:
            examined = case.examine()
        except Invalid:
            continue
        if (may_be_empty or not examined.empty) and (may_be_steady or examined.steady <= MAX_STEADY):
            return case, examined
