"""Small torch modules. Most of them contain attention as users write it by hand, in different forms.

CASES maps a name to a module, a function that makes its inputs, and the dimensions of the inputs that are the batch.
"""
import dataclasses
import math
from typing import Callable, Dict

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    """Attention of embedded tokens with two heads and no scale. If `masked` is true, a mask subtracts 10000 from the
    scores of later tokens."""

    def __init__(self, masked=False, width=8, heads=2):
        super().__init__()
        self.embedding = nn.Embedding(10, width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.masked, self.heads = masked, heads

    def forward(self, ids):
        x = self.embedding(ids)
        batch, length, width = x.shape
        q, k, v = (f(x).view(batch, length, self.heads, width // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1)
        if self.masked:
            scores = scores + torch.triu(torch.ones(length, length), diagonal=1) * -10000.0
        context = torch.softmax(scores, dim=-1) @ v
        return F.relu(self.out(context.transpose(1, 2).contiguous().view(batch, length, width)))


class MultiHead(nn.Module):
    """Attention whose scores are divided by the square root of a tensor, not by a Python number."""

    def __init__(self, width=512, heads=8):
        super().__init__()
        self.heads, self.depth = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.reshape(x.shape[0], -1, self.heads, self.depth).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / torch.sqrt(torch.tensor(self.depth, dtype=x.dtype))
        context = torch.matmul(F.softmax(scores, dim=-1), v).permute(0, 2, 1, 3)
        return self.out(context.reshape(x.shape[0], -1, self.heads * self.depth))


class CrossAttention(nn.Module):
    """Attention whose queries, keys and values are computed from three inputs. Keys whose mask is 0 are padding."""

    def __init__(self, width=512, heads=4, dropout=0.1):
        super().__init__()
        self.heads, self.depth = heads, width // heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask):
        batch = query.size(0)
        q, k, v = (f(x).view(batch, -1, self.heads, self.depth).transpose(1, 2)
                   for f, x in ((self.q, query), (self.k, key), (self.v, value)))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.depth)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        context = torch.matmul(self.dropout(F.softmax(scores, dim=-1)), v)
        return self.out(context.transpose(1, 2).contiguous().view(batch, -1, self.heads * self.depth))


class Scores(nn.Module):
    """Returns a dict with scores, their softmax, and the product of the scores themselves with v. This is not
    attention, because the softmax does not precede the product."""

    def forward(self, q, k, v):
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        return {"scores": scores, "weights": scores.softmax(-1), "product": torch.einsum("bhqk,bhkd->bhqd", scores, v)}


class WideValues(nn.Module):
    """Attention whose value heads are wider than its key heads, without biases and output projection. If `masked` is
    true, the score -inf removes later tokens."""

    def __init__(self, heads=1, masked=False, width=24, keys=16, values=20):
        super().__init__()
        self.heads, self.masked, self.scale = heads, masked, 1 / math.sqrt(keys // heads)
        self.q, self.k = (nn.Linear(width, keys, bias=False) for _ in range(2))
        self.v = nn.Linear(width, values, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (f(x).reshape(batch, length, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(2, 3)) * self.scale
        if self.masked:
            scores = scores.masked_fill(torch.triu(torch.ones(length, length, dtype=torch.bool), 1), float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v).transpose(1, 2).reshape(batch, length, -1)


class Layer(nn.Module):
    """Attention and two linear layers, each with a residual sum that is normalised. Also returns the attention
    probabilities."""

    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads, self.depth = heads, width // heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))
        self.norms, self.dropout = nn.ModuleList(nn.LayerNorm(width) for _ in range(2)), nn.Dropout(0.1)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (f(x).view(batch, length, self.heads, self.depth).transpose(1, 2) for f in (self.q, self.k, self.v))
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.depth), dim=-1)
        context = (weights @ v).transpose(1, 2).contiguous().view(batch, length, width)
        x = self.norms[0](x + self.dropout(self.out(context)))
        return self.norms[1](x + self.dropout(self.inner(x))), weights


class Transformer(nn.Module):
    """Layers on embedded tokens with sinusoidal positions. If `vocabulary` is true, it returns the scores of words; if
    `weights` is true, it also returns the attention probabilities of the first layer."""

    def __init__(self, heads=2, layers=1, vocabulary=False, weights=False, width=4, words=1000):
        super().__init__()
        position = torch.arange(5000, dtype=torch.float32)[:, None]
        angle = position * torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
        self.register_buffer("positions", torch.stack([angle.sin(), angle.cos()], -1).reshape(1, 5000, width))
        self.embedding, self.weights = nn.Embedding(words, width), weights
        self.layers = nn.ModuleList(Layer(width, heads, 16) for _ in range(layers))
        self.words = nn.Linear(width, words) if vocabulary else nn.Identity()

    def forward(self, ids):
        x = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim) + self.positions[:, :ids.size(1)]
        attention = []
        for layer in self.layers:
            x, weights = layer(x)
            attention.append(weights)
        return (self.words(x), attention[0]) if self.weights else self.words(x)


class TwoSoftmax(nn.Module):
    """A softmax over the last dimension, and one over the first dimension."""

    def forward(self, x):
        return torch.softmax(x, dim=-1), torch.softmax(x, dim=0)


class MaskedFill(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask, torch.finfo(torch.float32).min)


class Attention(nn.Module):
    """Attention of matrices. Returns the result and the attention probabilities."""

    def forward(self, q, k, v):
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        return weights @ v, weights


class LinearAttention(nn.Module):
    """Linear attention with elu(x) + 1 in place of the softmax. It is not normalised, and no scores are computed."""

    def forward(self, q, k, v):
        q, k = F.elu(q / math.sqrt(q.size(-1))) + 1, F.elu(k) + 1
        return q @ (k.transpose(-2, -1) @ v)


@dataclasses.dataclass
class Case:
    # Makes the module.
    module: Callable[[], nn.Module]
    # Makes inputs for a batch of the given size.
    inputs: Callable[[int], tuple]
    # For each argument of `forward`, the dimensions whose size varies and the names of these sizes.
    shapes: Dict[str, Dict[int, str]] = dataclasses.field(default_factory=dict)


# `ids` and `normal` return functions for `Case.inputs`, which make random tokens and random numbers. `padded` and
# `masked` are such functions themselves: they make sentences with padding, and rows with a mask of columns.
def ids(length, words):
    return lambda batch: (torch.randint(words, (batch, length)),)


def normal(*shape, count=1):
    return lambda batch: tuple(torch.randn(batch, *shape) for _ in range(count))


def padded(batch):
    mask = (torch.arange(135)[None, None] < torch.randint(1, 136, (batch, 1, 1))).float()
    return (*(torch.randn(batch, 135, 512) for _ in range(3)), mask)


def masked(batch):
    return torch.randn(batch, 3), torch.tensor([False, True, False])


BATCH = {0: "batch"}
QKV = {"q": BATCH, "k": BATCH, "v": BATCH}
CASES = {
    "self_attention": Case(SelfAttention, ids(3, 10), {"ids": BATCH}),
    "self_attention_masked": Case(lambda: SelfAttention(masked=True), ids(3, 10), {"ids": BATCH}),
    "multi_head": Case(MultiHead, normal(10, 512), {"x": BATCH}),
    "cross_attention_padding": Case(CrossAttention, padded, {name: BATCH for name in ("query", "key", "value", "mask")}),
    "scores": Case(Scores, normal(3, 135, 39, count=3), QKV),
    "wide_values_single_head": Case(WideValues, normal(12, 24), {"x": BATCH}),
    "wide_values_multi_head": Case(lambda: WideValues(heads=8, values=40), normal(12, 24), {"x": BATCH}),
    "wide_values_inf_mask": Case(lambda: WideValues(heads=8, values=40, masked=True), normal(12, 24), {"x": BATCH}),
    "attention": Case(Attention, normal(3, 4, count=3), QKV),
    "linear_attention": Case(LinearAttention, normal(3, 4, count=3), QKV),
    "softmax_dims": Case(TwoSoftmax, normal(3), {"x": BATCH}),
    "masked_fill": Case(MaskedFill, masked, {"x": BATCH}),
    "transformer_single_head": Case(lambda: Transformer(heads=1), ids(4, 1000), {"ids": BATCH}),
    "transformer_single_weights": Case(lambda: Transformer(heads=1, weights=True), ids(4, 1000), {"ids": BATCH}),
    "transformer_multi_head": Case(Transformer, ids(4, 1000), {"ids": BATCH}),
    "transformer_multi_weights": Case(lambda: Transformer(weights=True), ids(4, 1000), {"ids": BATCH}),
    "transformer_layers": Case(lambda: Transformer(layers=3), ids(4, 1000), {"ids": BATCH}),
    "transformer_vocabulary": Case(lambda: Transformer(vocabulary=True), ids(4, 1000), {"ids": BATCH}),
}
