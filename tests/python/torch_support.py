"""Code shared by the tests of heddle.torch, the compilation of torch modules."""
import copy
import unittest
from unittest import mock

import torch
import torch.utils._pytree as pytree

import heddle.torch._export
import torch_modules

# The batch sizes with which compiled modules are called.
BATCHES = (2, 5, 9)


def module(name):
    """Returns the module of a case in torch_modules.CASES, with fixed random weights."""
    torch.manual_seed(7)
    return torch_modules.CASES[name].module().eval()


def in_double(made, inputs):
    """Returns the results of the module `made` in eager torch in f64."""
    def double(value):
        return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    torch.set_default_dtype(torch.float64)  # for tensors that the module itself creates
    try:
        return copy.deepcopy(made).double()(*map(double, inputs))
    finally:
        torch.set_default_dtype(torch.float32)


class Case(unittest.TestCase):
    def counted(self):
        """Returns a context manager whose value counts exports of modules. Each compilation needs one export."""
        return mock.patch.object(heddle.torch._export, "write", wraps=heddle.torch._export.write)

    def check_results(self, made, inputs, found):
        """Compares the results `found` of compiled code with results in f64. The largest accepted difference is 4 times
        the error of eager torch in f32, plus 1e-6 of the largest number."""
        with torch.no_grad():
            eager, exact = made(*inputs), in_double(made, inputs)
        self.assertEqual(pytree.tree_structure(found), pytree.tree_structure(eager))
        for value, single, double in zip(*map(pytree.tree_leaves, (found, eager, exact))):
            self.assertIsInstance(value, torch.Tensor)
            self.assertEqual((value.dtype, value.shape), (single.dtype, single.shape))
            bound = 4 * self.largest(single.double() - double) + 1e-6 * self.largest(double)
            self.assertLessEqual(self.largest(value.double() - double), bound)

    @staticmethod
    def largest(values):
        return float(values.abs().max())
