"""Helpers that make parts of random models."""
import random

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def numbers(rng: random.Random, *shape):
    """Returns an f32 array of normally distributed numbers."""
    return np.random.default_rng(rng.getrandbits(32)).standard_normal(shape).astype(np.float32)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def port(name, shape, element=TensorProto.FLOAT):
    """Returns the declaration of an input or output. Strings in `shape` are names of sizes."""
    return helper.make_tensor_value_info(name, element, shape)


def dims_of(rng, **sizes):
    """Returns values of heddle's option --dim for `sizes`, or an empty list if the inputs are to determine all sizes.

    A value is the size itself or a range that contains the size.
    """
    options = []
    for name, size in sizes.items():
        form = rng.randrange(3)
        if form == 1:
            options.append(f"{name}={size}")
        elif form == 2:
            options.append(f"{name}={max(1, size - rng.randrange(3))}..{size + 1 + rng.randrange(3)}")
    # heddle refuses a model in which one size has a range and another size is determined only by the inputs.
    return options if len(options) == len(sizes) else []
