"""Small models of tests/data/seeds, and two that are too large for the repository."""
import copy
import math
import pathlib
import shutil

import torch
from safetensors.numpy import load_file

from . import Work

SEEDS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "seeds"


class Seed(Work):
    """A model of tests/data/seeds, with its inputs and expected results."""

    def __init__(self, cache, name):
        super().__init__(name, cache)
        # input_order: the names of the inputs in the order of the ONNX file. `load` keeps those that exist.
        self.onnx, self.input_order = self.folder / "model.onnx", ["in0", "in1", "in2", "in3"]

    def build(self):
        source = SEEDS / self.name
        shutil.copy(source / "model.onnx", self.onnx)
        return load_file(source / "inputs.safetensors"), load_file(source / "expected.safetensors")

    def load(self):
        super().load()
        self.input_order = sorted(self.inputs)

    def heddle_arguments(self):
        return [str(self.onnx)]


class ExportedSeed(Seed):
    """A model that is too large for tests/data/seeds: `build` exports a torch module to ONNX."""

    def module(self):
        """Returns the torch module."""
        raise NotImplementedError

    def arguments(self):
        """Returns the module's inputs."""
        raise NotImplementedError

    def build(self):
        torch.manual_seed(11)
        module, arguments = self.module().eval(), self.arguments()
        names = [f"in{i}" for i in range(len(arguments))]
        with torch.no_grad():
            expected = copy.deepcopy(module).double()(*[a.double() for a in arguments]).float()
            torch.onnx.export(module, arguments, str(self.onnx), input_names=names, output_names=["out0"],
                              opset_version=17, dynamo=False)
        return {n: a.numpy() for n, a in zip(names, arguments)}, {"out0": expected.numpy()}


class Heads(torch.nn.Module):
    """The projections of an attention layer: of queries, keys and values to heads, and of the result to features."""

    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = [torch.nn.Linear(features, features) for _ in range(4)]

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def merge(self, x):
        return self.o(x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1))


class MultiHeadModule(Heads):
    def forward(self, x):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(2, 3) / torch.pow(torch.tensor(64.0, dtype=x.dtype), 0.5)
        return self.merge(torch.softmax(scores, -1) @ v)


class MultiHead(ExportedSeed):
    """Self-attention over 512 features with 8 heads."""

    def flops(self):
        return 4 * 10 * (4 * 2 * 512 * 512 + 4 * 10 * 512)

    def module(self):
        return MultiHeadModule(512, 8)

    def arguments(self):
        return (torch.randn(4, 10, 512),)


class CrossAttentionModule(Heads):
    def forward(self, query, key, value, mask):
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        scores = q @ k.transpose(2, 3) / math.sqrt(128)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        return self.merge(torch.softmax(scores, -1) @ v)


class CrossAttention(ExportedSeed):
    """Cross-attention with three inputs of 135 rows and 512 features, and 4 heads; a third of the keys is padding."""

    def flops(self):
        return 5 * (2 * (135 + 90) * 2 * 512 * 512 + 135 * 90 * 4 * 512)

    def module(self):
        return CrossAttentionModule(512, 4)

    def arguments(self):
        mask = torch.ones(5, 1, 135)
        mask[:, :, 90:] = 0
        return (*[torch.randn(5, 135, 512) for _ in range(3)], mask)
