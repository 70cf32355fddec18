"""Cases for make_cases.py: modules, their inputs, and the exporters to use. Torch's exporters write one layer in many
forms, and the cases contain the forms that the importer must recognise."""
import math
from dataclasses import dataclass, field
from typing import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH, HEADS, SIZE, BATCH, QUERIES, KEYS = 12, 2, 6, 2, 3, 5  # SIZE is the number of elements of a head
# Exporters and opsets: one opset for each exporter, and all opsets that an exporter supports.
ONE_OF_EACH = {"script": [17], "dynamo": [18]}
ALL = {"script": list(range(9, 21)), "dynamo": list(range(18, 25))}


@dataclass
class Case:
    make: Callable  # returns the module and a tuple of its inputs
    exports: dict = field(default_factory=lambda: ONE_OF_EACH)  # maps each exporter to its opsets
    # Maps each input to the names of its dynamic axes. By default, inputs are x0, x1, ... without dynamic axes.
    names: dict = None
    results: dict = None  # maps each result to the names of its dynamic axes; by default, results are y0, y1, ...
    sizes: dict = field(default_factory=dict)  # maps the names of dynamic axes to their sizes in the test


class Apply(nn.Module):
    """A module that calls `function` with its submodules, `modules`, followed by its input tensors."""

    def __init__(self, function, **modules):
        super().__init__()
        self.function, self.names = function, list(modules)
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, *inputs):
        return self.function(*[getattr(self, name) for name in self.names], *inputs)


def attention_inputs(width=WIDTH, keys_width=WIDTH, values_width=WIDTH):
    """Returns random queries, keys and values of [batch, length, width]."""
    return (torch.randn(BATCH, QUERIES, width), torch.randn(BATCH, KEYS, keys_width),
            torch.randn(BATCH, KEYS, values_width))


def padding():
    """Returns a mask of the keys in which True means padding."""
    mask = torch.zeros(BATCH, KEYS, dtype=torch.bool)
    mask[0, KEYS - 2:] = True
    return mask


def boolean_mask():
    """Returns a random mask in which True removes a key. Each query keeps at least the first key."""
    mask = torch.rand(QUERIES, KEYS) < 0.4
    mask[:, 0] = False
    return mask


def multi_head(options=(), call=(), extra=(), more=lambda: (), inputs=attention_inputs, self_attention=False):
    """Returns a `make` function for nn.MultiheadAttention.

    options: arguments of the module. call: keyword arguments of its call. inputs: returns query, key and value. more:
    returns further tensors of the call, whose keywords are `extra`. self_attention: whether the query is also key and
    value.
    """
    options, call = {"batch_first": True, **dict(options)}, {"need_weights": False, **dict(call)}

    def make():
        layer = nn.MultiheadAttention(WIDTH, HEADS, **options)
        for parameter in layer.parameters():
            if parameter.dim() == 1:
                nn.init.normal_(parameter)

        def function(layer, *tensors):
            count = 1 if self_attention else 3
            result = layer(*(tensors[0:1] * 3 if self_attention else tensors[:3]),
                           **dict(zip(extra, tensors[count:])), **call)
            return result if call["need_weights"] else result[0]

        tensors = inputs()[:1] if self_attention else inputs()
        if not options["batch_first"]:
            tensors = tuple(tensor.transpose(0, 1).contiguous() for tensor in tensors)
        return Apply(function, layer=layer), (*tensors, *more())

    return make


def heads(groups=HEADS * 2, value=SIZE - 2):
    """Returns random queries, keys and values of [batch, heads, length, size]. `groups` is the number of heads of keys
    and values, and `value` the number of elements of a head of the values."""
    return (torch.randn(BATCH, HEADS * 2, QUERIES, SIZE), torch.randn(BATCH, groups, KEYS, SIZE),
            torch.randn(BATCH, groups, KEYS, value))


def product_attention(more=lambda: (), inputs=heads, **options):
    """Returns a `make` function for scaled_dot_product_attention with `options`. Its operands are the tensors that
    inputs() and more() return."""
    return lambda: (Apply(lambda *tensors: F.scaled_dot_product_attention(*tensors, **options)), (*inputs(), *more()))


def layer(kind, norm_first, activation, batch_first):
    """Returns a `make` function for torch's layer of an encoder or a decoder (`kind`)."""
    def make():
        options = {"norm_first": norm_first, "activation": activation, "batch_first": batch_first}
        x, memory, _ = attention_inputs()
        order = (lambda t: t) if batch_first else (lambda t: t.transpose(0, 1).contiguous())
        if kind == "encoder":
            return Apply(lambda m, x: m(x), m=nn.TransformerEncoderLayer(WIDTH, HEADS, 16, **options)), (order(x),)
        module = nn.TransformerDecoderLayer(WIDTH, HEADS, 16, **options)
        return Apply(lambda m, x, memory: m(x, memory), m=module), (order(x), order(memory))

    return make


def padded_encoder():
    # With nested tensors, torch itself writes zeros into padded rows, but exported models do not.
    module = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, HEADS, 16, batch_first=True), 2,
                                   enable_nested_tensor=False)
    pad = torch.zeros(BATCH, QUERIES, dtype=torch.bool)
    pad[1, 2:] = True
    return Apply(lambda m, x, pad: m(x, src_key_padding_mask=pad), m=module), (torch.randn(BATCH, QUERIES, WIDTH), pad)


def causal_decoder():
    module = nn.TransformerDecoder(nn.TransformerDecoderLayer(WIDTH, HEADS, 16, batch_first=True), 1)

    def function(m, x, memory):
        mask = nn.Transformer.generate_square_subsequent_mask(x.size(1)).to(x.dtype)
        return m(x, memory, tgt_mask=mask, tgt_is_causal=True)

    return Apply(function, m=module), attention_inputs()[:2]


def einsum(scores, result, order=lambda t: t):
    """Returns a `make` function for attention that is written with torch.einsum. `scores` and `result` are the
    equations of the two products, and `order` permutes the dimensions of the inputs."""
    def function(q, k, v):
        return torch.einsum(result, torch.softmax(torch.einsum(scores, q, k) / math.sqrt(SIZE), -1), v)

    return lambda: (Apply(function), tuple(order(t).contiguous() for t in heads()))


def alibi():
    slopes = torch.tensor([2.0 ** -(i + 1) for i in range(HEADS * 2)])

    def function(q, k, v):
        distance = torch.arange(k.size(2))[None, :] - torch.arange(q.size(2))[:, None]
        bias = -distance.abs().to(q.dtype)[None] * slopes.to(q.dtype)[:, None, None]
        return torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(SIZE) + bias[None], -1) @ v

    return Apply(function), heads()


def t5():
    """Attention with T5's bias, which depends on the bucket of the distance between query and key."""
    def bucket(distance, half=4, largest=16):
        sign, distance, exact = (distance > 0).long() * half, distance.abs(), half // 2
        far = exact + (torch.log(distance.float() / exact) / math.log(largest / exact) * (half - exact)).long()
        return sign + torch.where(distance < exact, distance, torch.min(far, torch.full_like(far, half - 1)))

    def function(table, q, k, v):
        distance = torch.arange(k.size(2))[None, :] - torch.arange(q.size(2))[:, None]
        bias = table(bucket(distance)).permute(2, 0, 1)[None]
        return torch.softmax(q @ k.transpose(3, 2) + bias, -1) @ v

    return Apply(function, table=nn.Embedding(8, HEADS * 2)), heads()


def pooled():
    """Selects, for each sequence, the row of the token with the largest id, like CLIP's text encoder."""
    ids = torch.tensor([[1, 9, 3, 9, 0], [4, 4, 2, 1, 0]])
    return (Apply(lambda x, ids: x[torch.arange(x.size(0)), ids.argmax(-1)]),
            (torch.randn(BATCH, KEYS, WIDTH), ids))


def batch_norm():
    norm = nn.BatchNorm1d(WIDTH)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.5, 2)
    return (Apply(lambda norm, linear, x: linear(norm(x.transpose(1, 2)).transpose(1, 2)), norm=norm,
                  linear=nn.Linear(WIDTH, 5)), (torch.randn(BATCH, QUERIES, WIDTH),))


def patches(module, shape):
    """Returns a `make` function for patch embeddings: module() is a convolution whose results become rows, one for each
    patch of an input of this shape."""
    return lambda: (Apply(lambda m, x: m(x).flatten(2).transpose(1, 2), m=module()), (torch.randn(*shape),))


def cases():
    """Returns the cases by name."""
    found = {
        "multi-head": Case(multi_head(), {"script": [14, 17, 20], "dynamo": [18, 20, 23, 24]}),
        "multi-head-self": Case(multi_head(self_attention=True)),
        "multi-head-sequence-first": Case(multi_head({"batch_first": False})),
        "multi-head-other-widths": Case(multi_head({"kdim": 4, "vdim": 8}, inputs=lambda: attention_inputs(WIDTH, 4, 8))),
        "multi-head-no-bias": Case(multi_head({"bias": False})),
        "multi-head-bias-kv": Case(multi_head({"add_bias_kv": True})),
        "multi-head-zero-attn": Case(multi_head({"add_zero_attn": True})),
        "multi-head-padding": Case(multi_head(extra=["key_padding_mask"], more=lambda: (padding(),))),
        "multi-head-mask": Case(multi_head(extra=["attn_mask"], more=lambda: (boolean_mask(),))),
        "multi-head-bias": Case(multi_head(extra=["attn_mask"], more=lambda: (torch.randn(QUERIES, KEYS),))),
        "multi-head-padding-mask": Case(multi_head(extra=["key_padding_mask", "attn_mask"],
                                                   more=lambda: (padding(), boolean_mask()))),
        "multi-head-weights": Case(multi_head(call={"need_weights": True}), ALL),
        "multi-head-weights-of-heads": Case(multi_head(call={"need_weights": True, "average_attn_weights": False})),
        "product-attention": Case(product_attention(), {"script": [14, 20], "dynamo": list(range(18, 25))}),
        "product-attention-mask": Case(product_attention(lambda: (torch.rand(BATCH, 1, QUERIES, KEYS) < 0.6,)), {"script": [14, 20], "dynamo": [18, 23, 24]}),
        "product-attention-bias": Case(product_attention(lambda: (torch.randn(BATCH, 1, QUERIES, KEYS),))),
        "product-attention-causal": Case(product_attention(is_causal=True), {"script": [14, 20], "dynamo": [18, 23, 24]}),
        "product-attention-scale": Case(product_attention(scale=0.3)),
        "product-attention-grouped": Case(product_attention(inputs=lambda: heads(HEADS), enable_gqa=True),
                                          {"script": [17], "dynamo": [18, 23]}),
        "product-attention-grouped-causal": Case(product_attention(inputs=lambda: heads(HEADS), enable_gqa=True,
                                                                   is_causal=True)),
        "padded-encoder": Case(padded_encoder),
        "causal-decoder": Case(causal_decoder),
        "einsum": Case(einsum("bhid,bhjd->bhij", "bhij,bhjd->bhid")),
        "einsum-sequence-first": Case(einsum("bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", lambda t: t.transpose(1, 2))),
        "alibi": Case(alibi),
        "t5": Case(t5),
        "largest-id": Case(pooled),
        "batch-norm": Case(batch_norm),
        "top-k": Case(lambda: (Apply(lambda x: torch.topk(x, 4, -1)), (torch.randn(BATCH, QUERIES, 7),))),
        "patches-2d": Case(patches(lambda: nn.Conv2d(3, 5, 4, 4), (BATCH, 3, 8, 12))),
        "patches-1d": Case(patches(lambda: nn.Conv1d(3, 5, 4, 4), (BATCH, 3, 12))),
    }
    for kind in ("encoder", "decoder"):
        for norm_first in (False, True):
            for activation in ("relu", "gelu"):
                for batch_first in (False, True):
                    name = "-".join([kind, "norm-first" if norm_first else "norm-last", activation,
                                     "batch-first" if batch_first else "sequence-first"])
                    found[name] = Case(layer(kind, norm_first, activation, batch_first))
    return found
