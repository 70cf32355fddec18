"""Tests torch modules and calls that heddle.compile rejects, and what it does without torch or with other versions of
torch."""
import re
import subprocess
import sys
import unittest
import unittest.mock

import torch

import heddle.torch
import support
from torch_modules import Attention

# Programs that other Python processes run: without torch, with another version of torch, and with an entry point
# through which torch finds the backend of an installed wheel.
WITHOUT_TORCH = """
import sys
import heddle
assert not [name for name in sys.modules if name == "torch" or name.startswith("heddle.torch")]
sys.modules["torch"] = None
try:
    heddle.compile(object())
except heddle.ArgumentError as reason:
    print(reason)
try:
    import heddle.torch
except ImportError as reason:
    print(reason)
"""


ANOTHER_TORCH = """
import torch
import torch.utils._pytree
torch.__version__ = "9.9.9"
del torch.utils._pytree.keystr
try:
    import heddle.torch
except ImportError as reason:
    print(reason)
"""


BY_ENTRY_POINT = """
import pathlib, sys, tempfile
folder = tempfile.TemporaryDirectory()
facts = pathlib.Path(folder.name) / "of_a_wheel-1.dist-info"
facts.mkdir()
(facts / "METADATA").write_text("Metadata-Version: 2.1\\nName: of-a-wheel\\nVersion: 1\\n")
(facts / "entry_points.txt").write_text("[torch_dynamo_backends]\\nheddle = " + sys.argv[1])
sys.path.insert(0, folder.name)
import torch
from torch._dynamo.backends import registry
assert "heddle" in registry.list_backends() and "heddle" not in sys.modules
found = registry.lookup_backend("heddle")
import heddle.torch
assert found is heddle.torch.backend
"""
PYPROJECT = support.ROOT / "python" / "runtime" / "pyproject.toml"


# Modules that heddle.compile rejects: they draw random numbers, write to a buffer or an input, contain an unsupported
# operation, or branch on the values of a tensor.
class Draws(torch.nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


class Writes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x * self.calls


class WritesInput(torch.nn.Module):
    def forward(self, x):
        return x.add_(1)


class Values(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.svdvals(x)


class Branches(torch.nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


class Refusals(unittest.TestCase):
    def check(self, pattern, module, *arguments, kind=heddle.CompileError, **options):
        """Checks that heddle.compile with these arguments raises an error of this kind that matches the pattern."""
        with self.assertRaisesRegex(kind, pattern):
            heddle.compile(module, *arguments, **options)

    def test_modules_with_side_effects(self):
        x = torch.ones(2, 4)
        self.check("draws random numbers", Draws(), x)
        self.check(r"draws random numbers.*module.eval\(\) turns dropout off", torch.nn.Dropout(0.5).train(), x)
        self.check("writes to a buffer, calls", Writes(), x)
        self.check("writes to a buffer, .*running_mean|writes to a buffer, num_batches", torch.nn.BatchNorm1d(4).train(), x)
        self.check("writes to an input", WritesInput(), x)

    def test_modules_that_torch_or_the_compiler_rejects(self):
        self.check("svd", Values(), torch.ones(3, 3))
        self.check("torch cannot export the module: .*[Dd]ata-dependent", Branches(), torch.ones(3))

    def test_arguments_of_compile(self):
        x, relu = torch.ones(2, 4), torch.nn.ReLU()
        for pattern, options in (("the range of 'b' is missing", {"dynamic_shapes": {"input": {0: "b"}}}),
                                 ("no dimension of an input is called 'b'", {"dims": {"b": 3}}),
                                 ("no tensor is called 'x'; there are input", {"dynamic_shapes": {"x": {0: "b"}}}),
                                 ("expected a name for each of 2 dimensions", {"dynamic_shapes": {"input": ("b",)}}),
                                 ("'input' has 2: 'b'", {"dynamic_shapes": {"input": {2: "b"}}}),
                                 ("has size 2 in dimension 0, outside the range 3..4 of 'b'",
                                  {"dynamic_shapes": {"input": {0: "b"}}, "dims": {"b": (3, 4)}}),
                                 ("'b' is range", {"dynamic_shapes": {"input": {0: "b"}}, "dims": {"b": range(0)}}),
                                 ("dims: expected sizes by name", {"dims": 5}), ("dims: 'b' is 'x'", {"dims": {"b": "x"}}),
                                 ("dynamic_shapes: expected names by argument", {"dynamic_shapes": "x"}),
                                 ("dynamic_shapes: no tensor is called 5", {"dynamic_shapes": {5: ("b",)}}),
                                 ("precision: expected text, found int", {"precision": 5}),
                                 ("threads", {"threads": 0}),
                                 ("output: cannot be given for", {"output": "a.so"})):
            with self.subTest(pattern):
                self.check(pattern, relu, x, kind=heddle.ArgumentError, **options)
        for wrong in (3, None, "text", (), {"input": None}, object()):
            self.check("expected tensors, found none|the module takes", relu, wrong, kind=heddle.ArgumentError)
        self.check("the module takes .*: missing a required argument", relu, {"x": x}, kind=heddle.ArgumentError)
        self.check("memory of the host", relu, torch.ones(2, device="meta"), kind=heddle.ArgumentError)
        self.check("require a torch.nn.Module", "softmax rows=2 d=3", x, kind=heddle.ArgumentError)
        self.check("expected a path, .* or a torch.nn.Module, found builtin_function", torch.relu, x, kind=heddle.ArgumentError)

    def test_calls(self):
        compiled = heddle.compile(Attention(), tuple(torch.zeros(2, 3, 4) for _ in range(3)),
                                  dynamic_shapes={name: {0: "batch"} for name in "qkv"}, dims={"batch": (1, 8)})
        x = torch.zeros(2, 3, 4)
        for pattern, arguments in (("input 'k': expected float32, found float64", (x, x.double(), x)),
                                   ("memory of the host|cannot be exported", (x, x, x.to("meta"))),
                                   ("q.*batch", (torch.zeros(9, 3, 4), x, x)),
                                   ("v", (x, x, torch.zeros(2, 3, 5))),
                                   ("missing a required argument: 'v'", (x, x)),
                                   ("expected arguments of the structure", (x, x, (x,)))):
            with self.subTest(pattern), self.assertRaisesRegex(heddle.ArgumentError, pattern):
                compiled(*arguments)

    def test_python_without_torch(self):
        run = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        first, second = run.stdout.splitlines()
        self.assertIn("expected a path, a quoted operation as text or a torch.nn.Module, found object", first)
        self.assertIn("heddle.torch needs the package torch, which cannot be imported", second)

    def test_another_version_of_torch(self):
        run = subprocess.run([sys.executable, "-c", ANOTHER_TORCH], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout,
                         "heddle.torch does not support torch 9.9.9, which has no torch.utils._pytree.keystr "
                         r"\(heddle.torch was tested only with torch \d+.\d+, and this is 9.9.9\)")

    def test_errors_name_another_version_of_torch(self):
        told = r"tested only with torch 2.\d+, and this is 9.9.9\+cpu"
        with unittest.mock.patch("torch.__version__", "9.9.9+cpu"):
            self.check(f"torch cannot export the module: .*svd.*{told}", Values(), torch.ones(3, 3))
            with unittest.mock.patch("heddle.torch._inputs._name", side_effect=AttributeError("no keystr")):
                self.check(f"AttributeError: no keystr .*{told}", torch.nn.ReLU(), torch.ones(3, 3))
            mistaken = {"_inputs": unittest.mock.Mock(side_effect=TypeError("no hint"))}
            with unittest.mock.patch.dict(heddle.torch.backend.__globals__, mistaken), torch.no_grad(), \
                    self.assertWarnsRegex(heddle.torch.FallbackWarning,
                                          f"a graph of [0-9]+ operations?: TypeError: no hint .*{told}"):
                torch._dynamo.reset()
                torch.compile(torch.nn.ReLU(), backend="heddle")(torch.ones(3))
        with unittest.mock.patch("heddle.torch._inputs._name", side_effect=AttributeError("no keystr")):
            # With the tested version of torch, the exception is not changed.
            self.check("^no keystr$", torch.nn.ReLU(), torch.ones(3, 3), kind=AttributeError)

    def test_torch_finds_the_backend_of_the_wheel(self):
        named = re.search(r"\[project.entry-points.torch_dynamo_backends\]\nheddle = \"(.*)\"", PYPROJECT.read_text())[1]
        run = subprocess.run([sys.executable, "-c", BY_ENTRY_POINT, named], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


support.main()
