"""Tests heddle.compile of torch modules. The results of a compiled module must agree with those of eager torch and have
the same structure, for several batch sizes in a range."""
import numpy as np
import torch

import heddle
import support
import torch_support
from torch_modules import CASES, Attention
from torch_support import BATCHES, module

BATCH = {"batch": range(1, 65)}


class Numbers(torch.nn.Module):
    """Takes nested arguments, and returns values that are not tensors, one result twice, and an argument."""

    def forward(self, x, pair, *, scale=None, flag=True):
        y = torch.relu(x @ pair["left"]) if flag else x
        return {"y": (y, y), "none": scale, "rows": x.shape[0], "three": 3, "same": x}


class Sizes(torch.nn.Module):
    """Returns results that depend on the number of rows in different ways."""

    def forward(self, x):
        n = x.shape[0]
        return n, x * n, x.reshape(-1, 2).sum(0), torch.ones(n, n) @ x, x[:, None] + x[None], torch.arange(n) + 1


class Constants(torch.nn.Module):
    """Returns only values that are not tensors: a size of its argument, and constants."""

    def forward(self, x):
        return {"columns": x.shape[1], "rows": x.shape[0], "none": None}


class Modules(torch_support.Case):
    def check(self, name):
        case, made = CASES[name], module(name)
        with self.counted() as exports:
            compiled = heddle.compile(made, case.inputs(3), dynamic_shapes=case.shapes, dims=BATCH)
            for batch in (1, *BATCHES):
                inputs = case.inputs(batch)
                self.check_results(made, inputs, compiled(*inputs))
        self.assertEqual(exports.call_count, 1)


for each in CASES:
    setattr(Modules, f"test_{each}", lambda self, name=each: self.check(name))


class Calls(torch_support.Case):
    def setUp(self):
        torch.manual_seed(1)
        self.module = Attention()
        self.compiled = heddle.compile(self.module, tuple(torch.randn(2, 3, 4) for _ in range(3)),
                                       dynamic_shapes={name: ("batch", None, None) for name in "qkv"}, dims=BATCH)
        self.inputs = tuple(torch.randn(6, 3, 4) for _ in range(3))

    def test_arguments_by_name(self):
        q, k, v = self.inputs
        self.check_results(self.module, self.inputs, self.compiled(q, v=v, k=k))

    def test_numpy_in_numpy_out(self):
        found = self.compiled(*(t.numpy() for t in self.inputs))
        self.assertEqual({type(value) for value in found}, {np.ndarray})
        self.check_results(self.module, self.inputs, tuple(map(torch.from_numpy, found)))

    def test_one_torch_tensor_makes_all_results_torch_tensors(self):
        q, k, v = self.inputs
        self.check_results(self.module, self.inputs, self.compiled(q.numpy(), k, v.numpy()))

    def test_memory_is_not_copied(self):
        seen = []
        run = self.compiled.model._pass
        self.compiled.model._pass = lambda arrays, tensors: seen.extend(a.ctypes.data for _, a in arrays) or run(arrays, tensors)
        found = self.compiled(*self.inputs)
        self.assertEqual(seen[:3], [t.data_ptr() for t in self.inputs])
        self.assertEqual(seen[3:], [t.data_ptr() for t in found])

    def test_strides_and_gradients(self):
        inputs = tuple(torch.randn(3, 4, 6).permute(2, 0, 1).requires_grad_() for _ in range(3))
        self.check_results(self.module, tuple(t.detach() for t in inputs), self.compiled(*inputs))

    def test_structure(self):
        x, left = torch.randn(3, 4), torch.randn(4, 5)
        made = Numbers()
        compiled = heddle.compile(made, (x, {"left": left}), dynamic_shapes={"x": {0: "rows"}}, dims={"rows": (1, 9)})
        x = torch.randn(7, 4)
        found, expected = compiled(x, {"left": left}), made(x, {"left": left})
        self.assertEqual((found["none"], found["rows"], found["three"]), (None, 7, 3))
        torch.testing.assert_close(found, expected)

    def test_ranges_with_sizes_below_two(self):
        made = Sizes()
        for low, high in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
            for example in (low, high):
                with self.subTest(low=low, high=high, example=example):
                    compiled = heddle.compile(made, torch.zeros(example, 4), dynamic_shapes={"x": {0: "rows"}},
                                              dims={"rows": range(low, high + 1)})
                    for rows in range(low, high + 1):
                        x = torch.randn(rows, 4)
                        torch.testing.assert_close(compiled(x), made(x))
                    with self.assertRaisesRegex(heddle.ArgumentError, f"rows is {high + 1}, outside {low}..{high}"):
                        compiled(torch.zeros(high + 1, 4))

    def test_names_and_sizes(self):
        self.assertEqual([tensor.name for tensor in self.compiled.model.inputs], ["q", "k", "v"])
        self.assertEqual([(s.name, s.low, s.high) for s in self.compiled.model.sizes], [("batch", 1, 64)])
        self.assertIn("CompiledModule Attention", repr(self.compiled))

    def test_a_module_without_results_that_are_tensors(self):
        made = Constants()
        compiled = heddle.compile(made, torch.zeros(3, 4), dynamic_shapes={"x": {0: "rows"}}, dims={"rows": (1, 9)})
        self.assertEqual(compiled(torch.zeros(7, 4)), made(torch.zeros(7, 4)))
        self.assertEqual(repr(compiled), "<heddle.torch.CompiledModule Constants: no result is a tensor>")
        with self.assertRaisesRegex(heddle.ArgumentError, "it has no library, because no result is a tensor"):
            compiled.model
        for _ in range(2):
            compiled.close()

    def test_close(self):
        for _ in range(2):
            self.compiled.close()
        self.assertIn("CompiledModule Attention", repr(self.compiled))
        with self.assertRaises(heddle.ClosedError):
            self.compiled(*self.inputs)

    def test_bfloat16(self):
        made = torch.nn.ReLU()
        compiled = heddle.compile(made, torch.zeros(2, 4, dtype=torch.bfloat16))
        x = torch.randn(2, 4).bfloat16()
        torch.testing.assert_close(compiled(x), made(x), rtol=0, atol=0)

    def test_weights_are_in_a_separate_file(self):
        one = heddle.compile(torch.nn.Linear(4, 4).eval(), torch.zeros(2, 4))
        self.assertTrue(one.model.path.endswith("model.so"))
        with open(one.model.path.replace(".so", ".weights"), "rb") as file:
            self.assertGreater(len(file.read()), 0)


support.main()
