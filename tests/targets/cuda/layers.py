"""layers.py HEDDLE SEED COUNT: compares random layers with their formulas (random_cases.py).

The seed of a case determines the operation, the type, the sizes and the elements. Other tests compare these layers with
Heddle's own interpreter; this test does not depend on it.
"""
import math
import sys

import numpy as np

import random_cases
from random_cases import F32, TYPES

EPSILON = 1e-3  # of norms


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


class Layer(random_cases.Case):
    def __init__(self, seed):
        super().__init__(seed, list(TYPES)[seed // 5 % 3])
        self.layer = [self.linear, self.ffn, self.layer_norm, self.rms_norm, self.softmax][seed % 5]
        self.rows = self.size(40)

    def size(self, most):
        """Returns a size of at most `most`, often a multiple of two, four or eight."""
        unit = self.draw.choice([1, 1, 2, 4, 8])
        return unit * self.draw.randint(1, most // unit)

    def make(self):
        words, expected, bounds = self.layer()
        return f"{self.layer.__name__} rows={self.rows} {words} type={self.kind}", [], expected, bounds

    # Each of the following functions returns the words after the operation's name, the result, and bounds of its error.

    def product(self, x, weight, bias):
        """Returns x weight + bias, and the bounds."""
        return x @ weight + bias, 2 * (len(weight) + 1) * F32 * (np.abs(x) @ np.abs(weight) + np.abs(bias))

    def linear(self):
        # A long contraction is divided into parts.
        k, n = self.size(self.draw.choice([70, 600])), self.size(40)
        y, bounds = self.product(self.input("input", self.rows, k), self.input("weight", k, n), self.input("bias", n))
        return (f"n={n} k={k} bias=1 residual=1 activation=gelu", gelu(y) + self.input("residual", self.rows, n), bounds)

    def ffn(self):
        k, hidden = self.size(30), self.size(40)
        x = self.input("input", self.rows, k)
        up, error = self.product(x, self.input("up", k, hidden, scale=k**-0.5), self.input("up_bias", hidden))
        down = self.input("down", hidden, k)
        y, bounds = self.product(np.maximum(up, 0.0), down, self.input("down_bias", k))
        return f"k={k} hidden={hidden} bias=1 activation=relu", y, bounds + error @ np.abs(down)

    def norm(self, centred):
        """Returns the result of layer_norm, or of rms_norm if not `centred`."""
        d = self.size(300)
        x, scale = self.input("input", self.rows, d), self.input("scale", d)
        bias = self.input("bias", d) if centred else 0.0
        sums = x + self.input("residual", self.rows, d)
        deviation = sums - sums.mean(-1, keepdims=True) if centred else sums
        y = deviation / np.sqrt((deviation**2).mean(-1, keepdims=True) + EPSILON) * scale + bias
        # In a short row, the difference from the mean may be much smaller than the elements, so its relative error is
        # larger than that of the elements.
        return f"d={d} residual=1 epsilon={EPSILON}", y, 1e-4 * (1 + np.abs(y))

    def layer_norm(self):
        return self.norm(True)

    def rms_norm(self):
        return self.norm(False)

    def softmax(self):
        d = self.size(300)
        x = self.input("input", self.rows, d, scale=4)
        exponentials = np.exp(x - x.max(-1, keepdims=True))
        y = exponentials / exponentials.sum(-1, keepdims=True)
        return f"d={d}", y, 100 * F32 * y


if __name__ == "__main__":
    sys.exit(random_cases.main(Layer, *sys.argv[1:]))
