"""Variations of the forms of onnx_forms.py in which the scales of weights are not stored in the file: nodes compute
them, or they are inputs. The scales are so large, and the input rows so small, that a product of an integer sum and a
scale may overflow although the result is finite."""
import functools

import numpy as np
from onnx import TensorProto, numpy_helper

SCALES, ROWS = 1e37, 1e-2 # scales and input rows are multiplied by these factors


# Each of these functions adds nodes or inputs to the graph g, so that its value `name` is `scales`.
def _product(g, name, scales):
    g.node("Mul", [g.stored(name + "_quarter", scales / np.float32(4)), g.stored(name + "_four", np.float32(4))], name)


def _quotient(g, name, scales):
    g.node("Div", [g.stored(name + "_part", scales / np.float32(4)), g.stored(name + "_fourth", np.float32(0.25))], name)


def _cast(g, name, scales):
    g.node("Cast", [g.stored(name + "_wide", scales.astype(np.float64))], name, to=TensorProto.FLOAT)


def _reshaped(g, name, scales):
    shape = g.stored(name + "_shape", np.array(scales.shape, np.int64))
    g.node("Reshape", [g.stored(name + "_row", scales.reshape(1, -1)), shape], name)


def _node(g, name, scales):
    g.node("Constant", [], name, value=numpy_helper.from_array(scales))


def _input(g, name, scales):
    g.input(name, scales)


def _input_product(g, name, scales):
    g.node("Mul", [g.input(name + "_given", scales / np.float32(4)), g.stored(name + "_four", np.float32(4))], name)


# The functions above, by the words that stand for them in the names of cases.
WAYS = {"product": _product, "quotient": _quotient, "cast": _cast, "reshaped": _reshaped, "node": _node, "input": _input,
        "input-product": _input_product}


def with_made_scales(form, way):
    """Returns a form like `form` in which the function WAYS[way] adds the nodes that compute the scales of weights."""
    @functools.wraps(form)
    def changed(g, *arguments, **how):
        g.made, g.factors = WAYS[way], (SCALES, ROWS)
        form(g, *arguments, **how)
        g.made, g.factors = None, (1, 1)
    return changed
