"""The formats in which Hugging Face directories store quantised linear layers, in numpy. The functions are written from
the documentation and the sources of GPTQ and compressed-tensors.

For each format, one function returns the stored tensors of a random layer, and the weight [outputs, inputs] in f64 that
they represent. Another function returns quantization_config, an entry of config.json. `round_rows` rounds the input
rows of a layer.
"""
import numpy as np

import tensors


def words(numbers, bits, axis):
    """Packs numbers into words of 32 bits along an axis, the first number in the lowest bits. The last word is padded
    with zeros."""
    each = 32 // bits
    numbers = np.moveaxis(np.asarray(numbers, np.int64), axis, -1)
    fill = [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % each)]
    numbers = np.pad(numbers, fill).reshape(*numbers.shape[:-1], -1, each)
    packed = (numbers << (np.arange(each) * bits)).sum(-1).astype(np.uint32).view(np.int32)
    return np.ascontiguousarray(np.moveaxis(packed, -1, axis))


def _scales(random, inputs, shape, bits, dtype):
    """Returns random scales with which weights have the usual magnitude. np.uint16 as a type means bf16."""
    scales = (random.random(shape) + 0.5) / np.sqrt(inputs) / 2 ** (bits - 1)
    return tensors.to_bf16(scales) if dtype == np.uint16 else scales.astype(dtype)


def gptq(random, outputs, inputs, bits=4, group=-1, subtracted="field", ordered=False, scale_dtype=np.float16):
    """Makes a layer in the format of AutoGPTQ or GPTQModel. `subtracted` selects how 1 was subtracted from the stored
    zero points: "field" means from each zero point, which wraps around; "word" means from all fields of a 32-bit word
    at once, with borrows between fields; None means not at all, as in gptq_v2. Every value of a zero point occurs if
    there are enough zero points."""
    group = inputs if group < 0 else group
    g_idx = np.arange(inputs) // group
    if ordered:
        g_idx = random.permutation(g_idx)
    groups, most = -(-inputs // group), 2 ** bits - 1
    q = random.integers(0, most + 1, (inputs, outputs))
    zeros = random.permutation(np.arange(groups * outputs) & most).reshape(groups, outputs)
    scales = _scales(random, inputs, (groups, outputs), bits, scale_dtype)
    stored = words(zeros - (subtracted == "field") & most, bits, 1)
    if subtracted == "word":
        stored = (stored.view(np.uint32) - np.uint32(0x11111111 if bits == 4 else 0x01010101)).view(np.int32)
    parts = {"qweight": words(q, bits, 0), "qzeros": stored, "scales": scales, "g_idx": g_idx.astype(np.int32)}
    weight = (q - zeros[g_idx]) * tensors.to_f32(scales).astype(np.float64)[g_idx]
    return parts, weight.T


def gptq_config(bits=4, group=-1, subtracted="field", ordered=False, **more):
    """Returns the quantization_config of a directory whose layers the function gptq made with these arguments."""
    made = {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": ordered, "sym": False,
            "checkpoint_format": "gptq" if subtracted else "gptq_v2", "true_sequential": True, "damp_percent": 0.01}
    return {**made, **({"meta": {"quantizer": ["gptqmodel:5.0.0"]}} if subtracted == "word" else {}), **more}


def compressed(random, outputs, inputs, bits=8, packed=False, group=0, strategy="channel", symmetric=True,
               scale_dtype=np.float32):
    """Makes a layer of compressed-tensors in the format pack-quantized if `packed`, and otherwise int-quantized."""
    group = group or inputs
    groups, middle = inputs // group, 2 ** (bits - 1)
    of = (1,) if strategy == "tensor" else (outputs, groups)
    q = random.integers(-middle, middle, (outputs, inputs))
    zeros = np.zeros(of, np.int64) if symmetric else random.integers(-middle, middle, of)
    scales = _scales(random, inputs, of, bits, scale_dtype)
    parts = {"weight_scale": scales}
    if packed:
        parts |= {"weight_packed": words(q + middle, bits, 1), "weight_shape": np.array([outputs, inputs], np.int64)}
    else:
        parts["weight"] = q.astype(np.int8)
    if not symmetric:
        parts["weight_zero_point"] = words(zeros + middle, bits, 0) if packed and strategy != "tensor" else zeros.astype(np.int8)
    wide = (lambda array: array.reshape(1, 1)) if strategy == "tensor" else (lambda array: np.repeat(array, group, 1))
    return parts, (q - wide(zeros)) * wide(tensors.to_f32(scales).astype(np.float64))


def compressed_config(bits=8, packed=False, group=0, strategy="channel", symmetric=True, rows=None, **more):
    """Returns the quantization_config of a directory whose layers the function compressed made with these
    arguments. `rows` is the entry input_activations, or None if input rows are not rounded."""
    weights = {"num_bits": bits, "type": "int", "strategy": strategy, "symmetric": symmetric}
    if group:
        weights["group_size"] = group
    layers = {"targets": ["Linear"], "weights": weights, "input_activations": rows, "output_activations": None}
    made = {"quant_method": "compressed-tensors", "format": "pack-quantized" if packed else "int-quantized",
            "config_groups": {"group_0": layers}, "ignore": ["lm_head"], "quantization_status": "compressed"}
    return {**made, **more}


# An entry input_activations, which describes how round_rows rounds input rows.
ROWS = {"num_bits": 8, "type": "int", "strategy": "token", "dynamic": True, "symmetric": True}


def round_rows(x, rows, step=None, zero=0):
    """Rounds input rows x as the entry input_activations `rows` describes; `step` and `zero` are the scale and zero
    point if they are stored. Returns the rounded rows, and the smallest distance of an element from a rounding
    boundary, in multiples of the scale. If `rows` is symmetric, the element with the largest magnitude is on a
    boundary, 127.5 times the scale from 0. If this element is positive, its distance does not count, because 127 and
    128 both become 127."""
    if rows["dynamic"]:
        axes = None if rows["strategy"] == "tensor" else -1
        if rows["strategy"] == "group":
            x = x.reshape(*x.shape[:-1], -1, rows["group_size"])
        low, high = np.minimum(x.min(axes, keepdims=True), 0), np.maximum(x.max(axes, keepdims=True), 0)
        step = np.maximum(-low, high) / 127.5 if rows["symmetric"] else (high - low) / 255
        step = np.where(step == 0, 1, step)
        zero = 0 if rows["symmetric"] else np.clip(np.rint(-128 - low / step), -128, 127)
    off = np.where(x / step > 127.25, 1, np.abs(x / step % 1 - 0.5)).min()
    result = (np.clip(np.rint(x / step + zero), -128, 127) - zero) * step
    return result.reshape(*result.shape[:-2], -1) if rows["strategy"] == "group" else result, off
