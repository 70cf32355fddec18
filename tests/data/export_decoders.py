"""Writes tests/data/decoders/<name>: decoder layers with past and new keys, exported by torch. A model computes from
the sizes of its inputs which keys each position attends to. The name of a model contains the kind of mask (see
Decoder), the exporter (script: based on TorchScript, dynamo: based on torch.export) and the opset.

    python3 tests/data/export_decoders.py tests/data/decoders

Needs torch, onnx, onnxscript and safetensors. Inputs have 5 past and 3 new positions; results are computed in f64.
"""
import math
import pathlib
import sys

import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import save_file

HEADS, SIZE, VOCABULARY, POSITIONS, WINDOW = 2, 8, 20, 80, 20
WIDTH = HEADS * SIZE


class Decoder(nn.Module):
    """A decoder layer. `mask` is "tril": a slice of a boolean table; "positions" or "rotary": computed by comparing
    positions; or "window": computed, with a limit on the distance. "rotary" and "window" encode positions with rotary
    embeddings, "tril" and "positions" with a table."""

    def __init__(self, mask):
        super().__init__()
        self.mask = mask
        self.tokens, self.norm = nn.Embedding(VOCABULARY, WIDTH), nn.LayerNorm(WIDTH)
        self.projections, self.output = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.rotates = mask in ("rotary", "window")
        if self.rotates:
            self.register_buffer("frequencies", 100.0 ** -(torch.arange(0, SIZE, 2) / SIZE))
        else:
            self.positions = nn.Embedding(POSITIONS, WIDTH)
        if mask == "tril":
            self.register_buffer("tril", torch.ones(POSITIONS, POSITIONS, dtype=torch.bool).tril()[None, None])

    def rotate(self, x, positions):
        angles = (positions[:, None].to(x.dtype) * self.frequencies).repeat(1, 2)
        first, second = x.chunk(2, -1)
        return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()

    def attend(self, query, key, value, positions):
        new, total = query.size(2), key.size(2)
        if self.mask == "tril":
            scores = query @ key.transpose(2, 3) / math.sqrt(SIZE)
            seen = self.tril[:, :, total - new:total, :total]
            return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ value
        seen = torch.arange(total)[None] <= positions[:, None]
        if self.mask == "window":
            seen = seen & (torch.arange(total)[None] > positions[:, None] - WINDOW)
        else:  # expands the mask as transformers does
            seen = seen[None, None].expand(query.size(0), 1, new, total)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=seen)

    def forward(self, input_ids, past_key, past_value):
        batch, new = input_ids.shape
        past = past_key.size(2)
        positions = torch.arange(past, past + new)
        x = self.tokens(input_ids)
        if not self.rotates:
            x = x + self.positions(positions)[None]
        parts = self.projections(self.norm(x)).chunk(3, -1)
        query, key, value = (part.view(batch, new, HEADS, SIZE).transpose(1, 2) for part in parts)
        if self.rotates:
            query, key = self.rotate(query, positions), self.rotate(key, positions)
        key, value = torch.cat([past_key, key], 2), torch.cat([past_value, value], 2)
        attended = self.attend(query, key, value, positions)
        return self.head(x + self.output(attended.transpose(1, 2).reshape(batch, new, WIDTH))), key, value


def export(model, inputs, names, results, path, exporter):
    cache = {0: "batch", 2: "past"}
    if exporter == "script":
        axes = {names[0]: {0: "batch", 1: "new"}, names[1]: cache, names[2]: cache, results[0]: {0: "batch", 1: "new"}}
        axes |= {name: {0: "batch", 2: "total"} for name in results[1:]}
        torch.onnx.export(model, inputs, path, input_names=names, output_names=results, dynamic_axes=axes,
                          opset_version=17, dynamo=False)
        return
    dims = {name: torch.export.Dim(name, min=1, max=POSITIONS) for name in ("batch", "new", "past")}
    sizes = {axis: dims[name] for axis, name in cache.items()}
    torch.onnx.export(model, inputs, path, input_names=names, output_names=results, opset_version=18, dynamo=True,
                      dynamic_shapes=({0: dims["batch"], 1: dims["new"]}, sizes, sizes), external_data=False)


def strip(path):
    """Removes metadata with paths of the exporting machine from all nodes and values."""
    model = onnx.load(path)
    for part in [model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    onnx.save(model, path)


def main(folder):
    names, results = ["input_ids", "past_key", "past_value"], ["logits", "present_key", "present_value"]
    for mask, exporter in [("tril", "script-17"), ("positions", "dynamo-18"), ("rotary", "script-17"),
                           ("window", "dynamo-18")]:
        torch.manual_seed(0)
        model = Decoder(mask).eval()
        past = torch.randn(2, HEADS, 5, SIZE)
        inputs = torch.randint(0, VOCABULARY, (2, 3)), past, torch.randn_like(past)
        where = folder / f"{mask}-{exporter}"
        where.mkdir(parents=True, exist_ok=True)
        with torch.no_grad():
            export(model, inputs, names, results, where / "model.onnx", exporter.split("-")[0])
            save_file(dict(zip(names, inputs)), where / "inputs.safetensors")
            expected = model.double()(inputs[0], inputs[1].double(), inputs[2].double())
        strip(where / "model.onnx")
        save_file({name: tensor.float().contiguous() for name, tensor in zip(results, expected)},
                  where / "expected.safetensors")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
