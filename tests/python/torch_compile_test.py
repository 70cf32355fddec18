"""Tests torch.compile(module, backend="heddle"): results agree with those of eager mode; sizes that change become
ranges, so that further sizes cause no compilation; and torch executes graphs that Heddle does not support."""
import inspect
import warnings

import torch

import heddle.torch
import support
import torch_support
from heddle.torch import FallbackWarning
from torch_modules import CASES
from torch_support import BATCHES, module


# `_told` contains the warnings that were already printed, each of which is printed only once. `counted` counts exports
# of graphs, and so compilations.
class Modules(torch_support.Case):
    def setUp(self):
        torch._dynamo.reset()
        heddle.torch.backend.__globals__["_told"].clear()

    def check(self, name):
        case, made = CASES[name], module(name)
        compiled = torch.compile(made, backend="heddle", fullgraph=True)
        names = list(inspect.signature(made.forward).parameters)
        with self.counted() as exports, torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error", FallbackWarning)
            for batch in BATCHES:
                inputs = case.inputs(batch)
                for argument, dims in case.shapes.items():
                    for d in dims:
                        torch._dynamo.mark_dynamic(inputs[names.index(argument)], d, min=2, max=64)
                self.check_results(made, inputs, compiled(*inputs))
        self.assertEqual(exports.call_count, 1)


for each in CASES:
    setattr(Modules, f"test_{each}", lambda self, name=each: self.check(name))


class Broken(torch.nn.Module):
    """A module with a part that Heddle does not support (svdvals) and, after a graph break, a part that it supports."""

    def forward(self, x):
        y = torch.linalg.svdvals(x)
        torch._dynamo.graph_break()
        return torch.softmax(y @ y.T, -1)


class Graphs(torch_support.Case):
    def setUp(self):
        torch._dynamo.reset()
        heddle.torch.backend.__globals__["_told"].clear()

    def warnings_of(self, function):
        """Calls `function` and returns the messages of the FallbackWarnings, which heddle emits if torch executes a
        graph in its place."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            function()
        return [str(w.message) for w in found if w.category is FallbackWarning]

    def test_unsupported_graphs_are_left_to_torch_with_one_warning(self):
        made = Broken()
        compiled, x = torch.compile(made, backend="heddle"), torch.randn(3, 4, 4)
        with torch.no_grad(), self.counted() as exports:
            texts = self.warnings_of(lambda: [torch.testing.assert_close(compiled(x), made(x)) for _ in range(3)])
        self.assertEqual(exports.call_count, 2)
        self.assertEqual(len(texts), 1, texts)
        self.assertRegex(texts[0], "torch, not heddle, runs a graph of 1 operation: .*svd")

    def test_strides_of_inputs_are_left_to_torch(self):
        """as_strided reads memory between the elements of an input. Heddle compiles it only for dense intermediates."""
        whole = torch.arange(24.0).view(3, 8)
        for function, is_left in ((lambda x: torch.as_strided(x, (2, 2), (8, 1)) * 1.0, True),
                                  (lambda x: torch.as_strided(x[1:], (2, 2), (3, 1)) * 1.0, True),
                                  (lambda x: torch.as_strided(x * 2.0, (2, 2), (3, 1)) * 1.0, False)):
            texts = []
            for x in (whole, whole[:, 1:5]):
                torch._dynamo.reset()
                compiled = torch.compile(function, backend="heddle", dynamic=False)
                texts += self.warnings_of(lambda: torch.testing.assert_close(compiled(x), function(x)))
            self.assertEqual(bool(texts), is_left, texts)

    def test_sizes_that_change_become_ranges(self):
        made = torch.nn.Linear(8, 8)
        compiled = torch.compile(made, backend="heddle")
        with self.counted() as exports, torch.no_grad():
            for batch in (3, 4, 5, 6, 7):
                x = torch.randn(batch, 8)
                self.check_results(made, (x,), compiled(x))
        self.assertEqual(exports.call_count, 2)  # The first export is for the size of the first call only.

    def test_calls_beyond_the_largest_size_are_left_to_torch(self):
        made = torch.nn.Linear(8, 8)
        compiled = torch.compile(made, backend="heddle", dynamic=True, options={"largest": 16})
        with torch.no_grad():
            compiled(torch.randn(4, 8))
            x = torch.randn(17, 8)
            texts = self.warnings_of(lambda: [self.check_results(made, (x,), compiled(x)) for _ in range(2)])
        self.assertEqual(len(texts), 1, texts)
        self.assertRegex(texts[0], "torch, not heddle, runs a call of a graph of 1 operation: .*17")

    def check_function(self, function, arguments, exports=1, dynamic=True):
        """Calls a compiled function with each tuple of arguments; its results must agree with those of eager torch.
        Returns the messages of the FallbackWarnings. `exports` is the expected number of exports."""
        torch._dynamo.reset()
        heddle.torch.backend.__globals__["_told"].clear()
        compiled = torch.compile(function, backend="heddle", dynamic=dynamic)
        with torch.no_grad(), self.counted() as counted:
            texts = self.warnings_of(lambda: [torch.testing.assert_close(compiled(*each), function(*each))
                                              for each in arguments])
        self.assertEqual(counted.call_count, exports)
        return texts

    def test_integers_that_are_sizes_of_tensors_are_compiled(self):
        def function(x):
            return x * x.shape[0] + x.shape[0] * x.shape[1]

        texts = self.check_function(function, [(torch.ones(n, 2),) for n in (3, 5, 7)])
        self.assertEqual(texts, [])

    def test_integers_that_are_not_sizes_of_tensors_are_left_to_torch(self):
        x = torch.arange(6.0).reshape(2, 3)
        # The range that torch infers for n has no bound, one bound or both. Each function is called with several values
        # of n.
        functions = {"sum": (lambda x, n: x + torch.arange(n).sum(), (5, 6, 2)),
                     "product": (lambda x, n: x * n, (5, -6, 7)),
                     "row": (lambda x, n: x[n], (1, 0)), "rows": (lambda x, n: x[:n], (2, 1)),
                     "less": (lambda x, n: x * n if n < 9 else x - n, (5, 6, 20)),
                     "between": (lambda x, n: x * n if 3 < n < 9 else x, (5, 6)),
                     "negative": (lambda x, n: x * n if n < -1 else x, (-5, -6))}
        for name, (function, numbers) in functions.items():
            for dynamic in (True, None):
                with self.subTest(name, dynamic=dynamic):
                    # With dynamic=None, n is a constant of the first graph, which is exported.
                    exports = 0 if dynamic else 1
                    texts = self.check_function(function, [(x, n) for n in numbers], exports, dynamic)
                    self.assertNotEqual(texts, [])
                    for text in texts:
                        self.assertRegex(text, "the graph's input l_n_ is an integer that differs from call to call "
                                               "and is not the size of a tensor")

    def test_an_integer_that_equals_a_size_by_chance_is_left_to_torch(self):
        arguments = [(torch.ones(5), 5), (torch.ones(6), 4)]
        texts = self.check_function(lambda x, n: x + torch.arange(n).sum(), arguments, exports=0)
        self.assertEqual(len(texts), 1, texts)

    def test_integers_that_the_graph_does_not_use_do_not_matter(self):
        # torch passes the stride of a slice to the graph.
        texts = self.check_function(torch.relu, [(torch.randn(3, width)[:, 1:5],) for width in (8, 9)])
        self.assertEqual(texts, [])

    def test_strides_are_left_to_torch(self):
        def function(x):
            return x * x.stride(0)

        texts = self.check_function(function, [(torch.randn(3, width)[:, 1:5],) for width in (8, 9)], exports=0)
        self.assertRegex(texts[0], "is an integer that differs from call to call")

    def test_a_constant_integer_is_compared_in_each_call(self):
        graph = torch.fx.symbolic_trace(lambda x, n: (x * n,))
        x = torch.ones(3)
        with torch.no_grad():
            compiled = heddle.torch.backend(graph, [x, 5])
            texts = self.warnings_of(lambda: [torch.testing.assert_close(compiled(x, n)[0], x * n) for n in (5, 6, 5)])
        self.assertEqual(len(texts), 1, texts)
        self.assertRegex(texts[0], "a call of a graph of 1 operation: the graph's input n is 6, but "
                                   "was compiled as the constant 5")

    def test_gradients_are_left_to_torch(self):
        made = torch.nn.Linear(4, 4)
        compiled, x = torch.compile(made, backend="heddle"), torch.randn(2, 4)
        texts = self.warnings_of(lambda: compiled(x).sum().backward())
        self.assertIsNotNone(made.weight.grad)
        self.assertRegex(texts[0], "gradients are required")

    def test_training_is_left_to_torch(self):
        made = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 4)).train()
        compiled = torch.compile(made, backend="heddle")
        with torch.no_grad():
            texts = self.warnings_of(lambda: compiled(torch.ones(2, 4)))
        self.assertRegex(texts[0], r"a graph of 2 operations: .*dropout.* draws random numbers")

    def test_changed_parameters_are_compiled_again(self):
        made = torch.nn.Linear(4, 4)
        compiled, x = torch.compile(made, backend="heddle"), torch.randn(2, 4)
        with torch.no_grad(), self.counted() as exports:
            self.check_results(made, (x,), compiled(x))
            made.load_state_dict({"weight": torch.randn(4, 4), "bias": torch.randn(4)})
            self.check_results(made, (x,), compiled(x))
            self.check_results(made, (x,), compiled(x))
        self.assertEqual(exports.call_count, 2)

    def test_modules_of_one_class_keep_their_parameters(self):
        made = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(2)))
        x = torch.randn(2, 4)
        with torch.no_grad():
            expected = made(x)
            for layer in made:
                layer.compile(backend="heddle")
            torch.testing.assert_close(made(x), expected)

    def test_unknown_options(self):
        known = ["cpus", "device", "least_cosine", "padding", "precision", "strategies", "threads"]
        others = {*inspect.signature(heddle.compile).parameters, *heddle._compile.OPTIONS, "nothing"} - {*known}
        self.assertLessEqual({"dims", "decoder", "state", "state_precision", "name", "calibrate"}, others)
        for name in sorted(others):
            told = f"options: '{name}' is unknown; there are {', '.join(known)}, largest"
            torch._dynamo.reset()
            with self.subTest(name), self.assertRaisesRegex(Exception, told), torch.no_grad():
                torch.compile(torch.nn.ReLU(), backend="heddle", options={name: True})(torch.ones(2))

    def test_known_options(self):
        options = {"cpus": "native", "padding": "auto", "precision": "f32", "strategies": {}, "threads": 1,
                   "largest": 9}
        made, x = torch.nn.ReLU(), torch.randn(3)
        with torch.no_grad():
            compiled = torch.compile(made, backend="heddle", options=options)
            self.assertEqual(self.warnings_of(lambda: torch.testing.assert_close(compiled(x), made(x))), [])


support.main()
