"""Operators that move, make and sum tensors. Each function returns a Value (values.py), an ONNX node with its
computation in numpy. A shape, position or count that is an input of the ONNX node is a Value here, too; spelling.py
makes such Values from numbers."""
import numpy as np

from values import Constant, MAX_ELEMENTS, Value, require


def ints(*numbers):
    return Constant(np.array(numbers, np.int64))


def gather(data, indices, axis=0):
    def compute(x, places):
        require(np.all(places >= -x.shape[axis]) and np.all(places < x.shape[axis]), "an index out of bounds")
        return np.take(x, places, axis)
    return Value("Gather", [data, indices], compute, data.dtype, {"axis": axis})


def span(start, limit, step=None):
    """Range: start, start + step, ... before `limit`. All operands are scalars."""
    step = Constant(np.array(1, np.int64)) if step is None else step

    def compute(first, last, by):
        require(by != 0, "a step of 0")
        require(abs(last - first) / abs(by) <= MAX_ELEMENTS, "too many elements")
        return np.arange(first, last, by, dtype=np.int64)
    return Value("Range", [start, limit, step], compute, np.int64)


def slices(data, starts, ends, axes, steps):
    """Slice. `starts`, `ends`, `axes` and `steps` are vectors of equal length."""
    def compute(x, first, last, dims, by):
        places = [slice(None)] * x.ndim
        for start, end, axis, step in zip(first, last, dims, by):
            require(step != 0, "a step of 0")
            # If the step is negative and the start lies before the first element, ONNX starts at the first element, but
            # numpy returns an empty slice.
            require(step > 0 or start + x.shape[axis] >= 0,
                    "a slice with a negative step starts before the first element")
            places[axis] = slice(int(start), int(end), int(step))
        return x[tuple(places)]
    return Value("Slice", [data, starts, ends, axes, steps], compute, data.dtype)


def concat(parts, axis=0):
    def compute(*arrays):
        shapes = {array.shape[:axis % array.ndim] + array.shape[axis % array.ndim + 1:] for array in arrays}
        require(len(shapes) == 1, "parts do not fit each other")
        return np.concatenate(arrays, axis)
    return Value("Concat", parts, compute, parts[0].dtype, {"axis": axis})


def pad(data, counts, fill):
    """Pad with a constant. `counts` are the numbers of elements that are added at the beginning of each dimension,
    followed by the numbers for the ends. A negative number removes elements."""
    def compute(x, amounts, element):
        before, after = np.split(amounts, 2)
        for low, high, extent in zip(before, after, x.shape):
            require(max(-low, 0) + max(-high, 0) <= extent, "more elements are removed than there are")
            require(low + high + extent <= MAX_ELEMENTS, "too many elements")
        x = x[tuple(slice(max(-low, 0), extent - max(-high, 0)) for low, high, extent in zip(before, after, x.shape))]
        return np.pad(x, [(max(low, 0), max(high, 0)) for low, high in zip(before, after)], constant_values=element)
    return Value("Pad", [data, counts, fill], compute, data.dtype)


def checked_shape(shape):
    """Returns an array of extents as a tuple. Raises Invalid if an extent is negative or the tensor is too large."""
    require(np.all(shape >= 0) and np.prod(shape.astype(np.float64)) <= MAX_ELEMENTS, "no such shape")
    return tuple(int(extent) for extent in shape)


def tile(data, repeats):
    def compute(x, counts):
        checked_shape(counts * x.shape)
        require(np.all(counts >= 0), "a negative count")
        return np.tile(x, tuple(counts))
    return Value("Tile", [data, repeats], compute, data.dtype)


def expand(data, shape):
    """Expand: each operand is broadcast to the shape of the other."""
    def compute(x, wanted):
        try:
            return np.broadcast_to(x, np.broadcast_shapes(x.shape, checked_shape(wanted))).copy()
        except ValueError:
            return require(False, "shapes do not broadcast")
    return Value("Expand", [data, shape], compute, data.dtype)


def reshape(data, shape):
    """Reshape: an extent of 0 is copied from the input, and -1 is computed from the number of elements."""
    def compute(x, wanted):
        wanted = [x.shape[dim] if extent == 0 and dim < x.ndim else int(extent) for dim, extent in enumerate(wanted)]
        known = int(np.prod([extent for extent in wanted if extent != -1], dtype=np.float64))
        require(min(wanted, default=0) >= -1 and wanted.count(-1) <= 1, "no such shape")
        require(known > 0 and x.size % known == 0 if -1 in wanted else known == x.size, "another number of elements")
        return x.reshape(wanted)
    return Value("Reshape", [data, shape], compute, data.dtype)


def unsqueeze(data, *axes):
    return Value("Unsqueeze", [data, ints(*axes)], lambda x, dims: np.expand_dims(x, tuple(dims)), data.dtype)


def squeeze(data, *axes):
    """Squeeze: without axes, all dimensions of extent 1 are removed."""
    def compute(x, dims=None):
        if dims is None:
            return x.squeeze()
        require(all(x.shape[dim] == 1 for dim in dims), "squeezes an extent that is not 1")
        return x.squeeze(tuple(dims))
    return Value("Squeeze", [data] + ([ints(*axes)] if axes else []), compute, data.dtype)


def transpose(data, *order):
    return Value("Transpose", [data], lambda x: x.transpose(order), data.dtype, {"perm": list(order)})


def filled(shape, number, dtype):
    """ConstantOfShape: every element of the tensor is `number`."""
    element = np.array([number], dtype)
    return Value("ConstantOfShape", [shape], lambda wanted: np.full(checked_shape(wanted), element[0]), dtype,
                 {"value": element})


def reduce(op, data, axis=0, keep=0):
    """ReduceSum, ReduceMax, ReduceMin or ReduceMean over one axis."""
    functions = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceMean": np.mean}

    def compute(x, dims=None):
        require(op == "ReduceSum" or x.shape[axis] > 0, f"{op} over no elements")
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x
        return functions[op](wide, axis=axis, keepdims=bool(keep)).astype(x.dtype)
    if op == "ReduceSum": # ReduceSum takes the axes as an input since opset 13, other reductions since opset 18
        return Value(op, [data, ints(axis)], compute, data.dtype, {"keepdims": keep})
    return Value(op, [data], compute, data.dtype, {"keepdims": keep, "axes": [axis]})


def cumulative_sum(data, axis=0):
    return Value("CumSum", [data, Constant(np.array(axis, np.int64))],
                 lambda x, dim: np.cumsum(x, axis=axis, dtype=x.dtype), data.dtype)


def split(data, lengths, index, count):
    """Split along the first axis into `count` parts with the given lengths. Returns part `index`."""
    def compute(x, parts):
        require(len(parts) == count and np.all(parts >= 0) and parts.sum() == len(x), "parts do not add up")
        return np.split(x, np.cumsum(parts)[:-1])[index]
    return Value("Split", [data, lengths], compute, data.dtype, {"axis": 0}, output=(index, count))


def largest(data, count):
    """TopK along the first axis: the `count` largest elements, the largest first. `count` is a vector with one
    number."""
    def compute(x, number):
        require(0 <= number[0] <= len(x), "a count that is negative or exceeds the number of elements")
        return -np.sort(-x, 0)[:number[0]]
    return Value("TopK", [data, count], compute, data.dtype, {"axis": 0}, output=(0, 2))


def lower_triangle(data, diagonal):
    """Trilu: sets the elements above the k-th diagonal to zero. The scalar `diagonal` is k; 0 is the main diagonal."""
    return Value("Trilu", [data, diagonal], lambda x, number: np.tril(x, int(number)), data.dtype, {"upper": 0})


def shape_of(data, **attributes):
    """Shape. The attributes `start` and `end` select a part of the dimensions."""
    return Value("Shape", [data], lambda x: np.array(x.shape, np.int64)[attributes.get("start"):attributes.get("end")],
                 np.int64, attributes)


def choose(condition, then, otherwise):
    """If: the result is `then` if the condition, a boolean scalar, is true, and otherwise `otherwise`."""
    return Value("If", [condition], None, then.dtype, branches=(then, otherwise))
