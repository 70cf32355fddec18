"""Writes models whose quantization_config is compressed-tensors or GPTQ, with inputs and expected results:

    python3 tests/data/huggingface/make_quantized.py tests/data/huggingface

The files were written with transformers 5.23.0, torch 2.15.0, safetensors and compressed-tensors 0.20.0. For models in
compressed-tensors, this package packs and rounds the weights and rounds the rows; the products are computed in f64. For
GPTQ no package is used: a weight is (q - (z + 1)) * scale[g_idx] by the definition of the format, or
(q - z) * scale[g_idx] in gptq_v2.
"""

import json
import pathlib
import sys

import torch
from compressed_tensors.compressors.pack_quantized.base import PackedQuantizationCompressor
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from compressed_tensors.quantization.lifecycle.forward import quantize
from compressed_tensors.quantization.utils import calculate_qparams
from compressed_tensors.quantization.utils.helpers import compute_dynamic_scales_and_zp
from safetensors.torch import save_file

from make_decoders import SIZES, in_f64, make, prompts, randomize, to_f64

SIZES = {**SIZES, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1}
BERT = {"vocab_size": 13, "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 1, "num_attention_heads": 4,
        "max_position_embeddings": 20}
ROWS = {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True}
CHANNEL = {"num_bits": 8, "type": "int", "strategy": "channel"}

# By directory: model_type, the suffix of the AutoModel class, the fields of config.json, the format, and the arguments
# of the quantization of weights and of rows.
COMPRESSED = {
    "w8a8": ("llama", "ForCausalLM", SIZES, "int-quantized", CHANNEL, {**ROWS, "symmetric": True}),
    "w8a8-zeros": ("llama", "ForCausalLM", SIZES, "int-quantized", {**CHANNEL, "symmetric": False},
                   {**ROWS, "symmetric": False}),
    "w8a8-tensor": ("bert", "", BERT, "int-quantized", {"num_bits": 8, "type": "int", "strategy": "tensor"},
                    {**ROWS, "strategy": "tensor", "symmetric": False}),
    "w8a8-static": ("bert", "", BERT, "int-quantized", CHANNEL,
                    {"num_bits": 8, "type": "int", "strategy": "tensor", "dynamic": False, "symmetric": False}),
    "w8a8-groups": ("llama", "ForCausalLM", SIZES, "int-quantized", {**CHANNEL, "strategy": "group", "group_size": 16},
                    {**ROWS, "strategy": "group", "group_size": 16}),
    "w8a16": ("phi3", "ForCausalLM", SIZES, "int-quantized", {**CHANNEL, "symmetric": False}, None),
    "w8a16-packed": ("llama", "ForCausalLM", SIZES, "pack-quantized", CHANNEL, None),
    "w4a16": ("llama", "ForCausalLM", SIZES, "pack-quantized", {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 16},
              None),
    "w4a16-zeros": ("phi3", "ForCausalLM", SIZES, "pack-quantized",
                    {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 8, "symmetric": False}, None),
}
# By directory: bits, group_size, checkpoint_format, and whether the order of inputs is random (desc_act).
GPTQ = {
    "gptq-4": (4, 16, "gptq", False),
    "gptq-8": (8, -1, "gptq", False),
    "gptq-4-order": (4, 16, "gptq_v2", True),
}


def pack(values, bits, dim):
    """Packs numbers of `bits` bits into 32-bit words along dimension `dim`; the first number is in the lowest bits."""
    each = 32 // bits
    values = values.to(torch.int64).movedim(dim, -1)
    words = values.reshape(*values.shape[:-1], -1, each)
    packed = (words << (torch.arange(each) * bits)).sum(-1)
    packed = torch.where(packed >= 2**31, packed - 2**32, packed)
    return packed.to(torch.int32).movedim(-1, dim).contiguous()


def layers(model):
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear) and "lm_head" not in name:
            yield name, module


def scales_of(weight, args):
    if args.strategy == "tensor":
        return calculate_qparams(weight.min(), weight.max(), args)
    parts = weight.unflatten(1, (-1, args.group_size if args.strategy == "group" else weight.shape[1]))
    return calculate_qparams(parts.amin(-1), parts.amax(-1), args)


def compress(name, module, weights, rows, layout, tensors):
    weight = module.weight.data
    scale, zero = scales_of(weight, weights)
    if layout == "pack-quantized" and not weights.symmetric:
        scale = scale.half().float()
    integers = quantize(weight, scale, None if weights.symmetric else zero, weights, dtype=torch.int8)
    if layout == "pack-quantized":
        state = PackedQuantizationCompressor.compress({"weight": weight, "weight_scale": scale, "weight_zero_point": zero},
                                                      QuantizationScheme(targets=["Linear"], weights=weights))
        if not weights.symmetric:
            state["weight_scale"] = state["weight_scale"].half()
    else:
        state = {"weight": integers, "weight_scale": scale}
        if not weights.symmetric:
            state["weight_zero_point"] = zero
    wide = lambda value: value.double() if value.dim() < 2 else value.double().repeat_interleave(weight.shape[1] // value.shape[1], 1)
    module.weight.data = (integers.double() - (0 if weights.symmetric else wide(zero))) * wide(scale)
    if rows is not None and not rows.dynamic:
        state["input_scale"], state["input_zero_point"] = torch.tensor([0.03125]), torch.tensor([9], dtype=torch.int8)

    def rounded(module, inputs):
        x = inputs[0].to(torch.float32) if inputs[0].dtype != torch.float64 else torch.ops.aten._to_copy(inputs[0], dtype=torch.float32)
        if rows.dynamic:
            step, offset = compute_dynamic_scales_and_zp(x, rows, module)
        else:
            step, offset = state["input_scale"], state["input_zero_point"]
        q = quantize(x, step, offset, rows, dtype=torch.int8)
        wide = lambda value: torch.ops.aten._to_copy(value, dtype=torch.float64)
        if rows.strategy == "group":
            step, offset = (value.repeat_interleave(rows.group_size, -1) for value in (step, offset))
        return ((wide(q) - wide(offset)) * wide(step),)

    if rows is not None:
        module.register_forward_pre_hook(rounded)
    for part, value in state.items():
        tensors[f"{name}.{part}"] = value.contiguous()


def quantize_gptq(name, module, bits, group, version, ordered, tensors):
    weight = module.weight.data.T  # [in, out]
    rows, group = weight.shape[0], group if group > 0 else weight.shape[0]
    g_idx = torch.arange(rows) // group
    if ordered:
        g_idx = g_idx[torch.randperm(rows)]
    low = torch.stack([weight[g_idx == g].amin(0).clamp(max=0) for g in range(rows // group)])
    high = torch.stack([weight[g_idx == g].amax(0).clamp(min=0) for g in range(rows // group)])
    scale = ((high - low) / (2**bits - 1)).half()
    zero = torch.round(-low / scale.float()).clamp(1, 2**bits - 1)
    q = torch.clamp(torch.round(weight / scale.float()[g_idx]) + zero[g_idx], 0, 2**bits - 1)
    module.weight.data = ((q - zero[g_idx]).double() * scale.double()[g_idx]).T
    tensors.update({f"{name}.qweight": pack(q, bits, 0), f"{name}.g_idx": g_idx.to(torch.int32), f"{name}.scales": scale,
                    f"{name}.qzeros": pack(zero - int(version == "gptq"), bits, 1)})


def write(folder, number, kind, head, fields, config, change):
    torch.manual_seed(number)
    model = make(kind, head, fields)
    randomize(model)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    tensors = {name: value.data for name, value in model.named_parameters()}
    for name, module in layers(model):
        del tensors[f"{name}.weight"]
        change(name, module, tensors)
    save_file({name: value.clone().contiguous() for name, value in tensors.items()}, folder / "model.safetensors")
    text = json.loads((folder / "config.json").read_text())
    text["quantization_config"] = config
    (folder / "config.json").write_text(json.dumps(text, indent=2) + "\n")
    inputs = prompts(model.config.vocab_size)
    output = "last_hidden_state" if model.base_model is model else "logits"
    with torch.no_grad():
        result = to_f64(model).eval()(**inputs)[output]
    save_file(inputs, folder / "inputs.safetensors")
    save_file({output: torch.ops.aten._to_copy(result, dtype=torch.float32)}, folder / "expected.safetensors")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    in_f64()
    for number, (name, (kind, head, fields, layout, weights, rows)) in enumerate(COMPRESSED.items()):
        group = {"targets": ["Linear"], "weights": weights, "input_activations": rows, "output_activations": None}
        config = {"quant_method": "compressed-tensors", "format": layout, "config_groups": {"group_0": group},
                  "ignore": ["lm_head"], "kv_cache_scheme": None, "moe_sparsity_config": None, "sparsity_config": {},
                  "transform_config": {}, "quantization_status": "compressed", "version": "0.20.0"}
        arguments = QuantizationArgs(**weights), rows and QuantizationArgs(**rows)
        write(folder / f"quantized-{name}", number, kind, head, fields, config,
              lambda name, module, tensors: compress(name, module, *arguments, layout, tensors))
    for number, (name, (bits, size, version, ordered)) in enumerate(GPTQ.items()):
        config = {"quant_method": "gptq", "bits": bits, "group_size": size, "desc_act": ordered, "sym": False,
                  "checkpoint_format": version, "true_sequential": True, "damp_percent": 0.01}
        write(folder / f"quantized-{name}", 100 + number, "llama", "ForCausalLM", SIZES, config,
              lambda name, module, tensors: quantize_gptq(name, module, bits, size, version, ordered, tensors))
