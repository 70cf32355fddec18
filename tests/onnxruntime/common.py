"""Parts of random models."""
import random

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def numbers(rng: random.Random, *shape):
    return np.random.default_rng(rng.getrandbits(32)).standard_normal(shape).astype(np.float32)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def port(name, shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def dims_of(rng, **sizes):
    """Options for sizes: some fixed, some in a range that has them; those that are left out the inputs tell."""
    options = []
    for name, size in sizes.items():
        form = rng.randrange(3)
        if form == 1:
            options.append(f"{name}={size}")
        elif form == 2:
            options.append(f"{name}={max(1, size - rng.randrange(3))}..{size + 1 + rng.randrange(3)}")
    # A range beside a size that is told by the inputs alone is refused.
    return options if len(options) == len(sizes) else []
