"""Operations that models apply to rows: matrix products, softmax and attention. numpy computes products and softmax in
f64."""
import numpy as np

from elements import add, constant, less_or_equal, mul, relu, where
from moves import ints, reduce, reshape, span, transpose, unsqueeze
from values import Constant, Value, require


def matmul(a, b):
    def compute(x, y):
        require(x.shape[-1] == y.shape[-2], "matrices do not fit")
        return np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype)
    return Value("MatMul", [a, b], compute, a.dtype)


def softmax(data, axis=-1):
    def compute(x):
        if x.size == 0:
            return x
        wide = x.astype(np.float64)
        powers = np.exp(wide - wide.max(axis, keepdims=True))
        return (powers / powers.sum(axis, keepdims=True)).astype(x.dtype)
    return Value("Softmax", [data], compute, data.dtype, {"axis": axis})


def weights(rows, columns, seed=1):
    """Returns a constant matrix of random numbers. Equal arguments yield equal matrices."""
    numbers = np.random.default_rng(seed).standard_normal((rows, columns)) / np.sqrt(rows)
    return Constant(numbers.astype(np.float32))


def attention(spelling, rows, mask=None):
    """Self-attention of [n, 8] with two heads, built from single operators. `mask` [n, n] is true where a query may
    attend to a key; without a mask, the attention is causal."""
    if mask is None:
        positions = span(constant(0), spelling.size(rows))
        mask = less_or_equal(unsqueeze(positions, 0), unsqueeze(positions, 1))

    def heads(seed, *order):
        return transpose(reshape(matmul(rows, weights(8, 8, seed)), ints(-1, 2, 4)), *order)
    scores = mul(matmul(heads(2, 1, 0, 2), heads(3, 1, 2, 0)), 0.5)
    scores = where(mask, scores, constant(np.finfo(np.float32).min, np.float32))
    mixed = matmul(softmax(scores), heads(4, 1, 0, 2))
    return reshape(transpose(mixed, 1, 0, 2), ints(-1, 8))


# Functions of (spelling, matrix [n, 8]) that are applied to a matrix with a computed number of rows. They test whether
# later layers compute with the right number of rows.
FOLLOWERS = {
    "alone": lambda spelling, rows: rows,
    "softmax": lambda spelling, rows: softmax(rows),
    "softmax-rows": lambda spelling, rows: softmax(rows, 0),
    "matmul": lambda spelling, rows: relu(add(matmul(rows, weights(8, 16)), Constant(np.ones(16, np.float32)))),
    "gram": lambda spelling, rows: matmul(rows, transpose(rows, 1, 0)),
    "sum": lambda spelling, rows: reduce("ReduceSum", rows, 0, 1),
    "attention": attention,
}
