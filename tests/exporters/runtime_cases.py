"""Cases for make_cases.py with operators of ONNX Runtime (domain com.microsoft): models of one node, and models that
ONNX Runtime's optimizer wrote.

A case consists of its name and a tuple (model, inputs, results), where `inputs` and `results` map names to torch
tensors.
"""
import logging
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.transformers import optimizer

BATCH, LENGTH, WIDTH, HEADS, SIZE = 2, 4, 8, 2, 4  # SIZE is the number of elements of a head
TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int32"): TensorProto.INT32,
         np.dtype("int64"): TensorProto.INT64}
random = np.random.default_rng(0)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def results_of(model, inputs):
    """Runs the model in ONNX Runtime. Returns the inputs and the results, both as torch tensors by name."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, inputs)))
    return ({name: torch.from_numpy(value) for name, value in inputs.items()},
            {name: torch.from_numpy(value) for name, value in found.items()})


def node(op, inputs, outputs=("y",), known=(), run=True, **attributes):
    """Returns a model with one node, its inputs, and its results in ONNX Runtime, or None as results if `run` is false.

    inputs: maps the names of inputs to arrays, or to None if the node omits the input. outputs: the names of outputs;
    '' for an output that the node omits. known: the names of inputs that are constants of the model.
    """
    stored = [numpy_helper.from_array(inputs[name], name) for name in known]
    given = {name: value for name, value in inputs.items() if value is not None and name not in known}
    made = helper.make_node(op, [name if value is not None else "" for name, value in inputs.items()], list(outputs),
                            domain="com.microsoft", **attributes)
    ports = [helper.make_tensor_value_info(name, TYPES[value.dtype], value.shape) for name, value in given.items()]
    shown = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs if name]
    model = helper.make_model(helper.make_graph([made], "g", ports, shown, stored), ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    return (model, *results_of(model, given)) if run else (model, {k: torch.from_numpy(v) for k, v in given.items()}, None)


def heads_of(length, heads=HEADS):
    """Returns random queries, keys or values of `length` tokens, with all heads of a token in one row."""
    return floats(BATCH, length, heads * SIZE)


def nodes():
    """Yields the cases of one node."""
    x, bias = floats(BATCH, LENGTH, WIDTH), floats(WIDTH)
    lengths, mask = np.array([4, 2], np.int32), np.array([[1, 1, 1, 1], [1, 1, 0, 0]], np.int32)
    projected = {"x": x, "w": floats(WIDTH, 3 * WIDTH), "b": floats(3 * WIDTH)}
    each = {"q": heads_of(LENGTH), "k": heads_of(LENGTH + 2), "v": heads_of(LENGTH + 2)}
    angles = (np.arange(10)[:, None] * np.array([1, 0.1])).astype(np.float32)
    cosine, sine = np.cos(angles), np.sin(angles)
    # GroupQueryAttention requires a head size that is a multiple of 16, so its rotary tables have 8 angles per
    # position.
    wide = (np.arange(10)[:, None] * np.logspace(0, -2, 8)).astype(np.float32)
    group = {"q": floats(BATCH, LENGTH, 64), "k": floats(BATCH, LENGTH, 32), "v": floats(BATCH, LENGTH, 32), "pk": None, "pv": None,
             "last": np.array([3, 3], np.int32), "total": np.array(LENGTH, np.int32)}
    yield "bias-gelu", node("BiasGelu", {"x": x, "b": bias})
    yield "fast-gelu", node("FastGelu", {"x": x, "b": bias})
    yield "quick-gelu", node("QuickGelu", {"x": x})
    yield "fused-matmul", node("FusedMatMul", {"a": floats(2, 3, 4), "b": floats(2, 5, 3)}, transA=1, transB=1, alpha=0.5)
    skip = {"x": x, "skip": floats(BATCH, LENGTH, WIDTH), "gamma": bias, "beta": floats(WIDTH), "b": floats(WIDTH)}
    yield "skip-layer-norm", node("SkipLayerNormalization", skip, ["y", "", "", "sum"], epsilon=1e-5)
    simple = {name: skip[name] for name in ("x", "skip", "gamma", "b")}
    yield "skip-simplified-layer-norm", node("SkipSimplifiedLayerNormalization", simple, ["y", "", "", "sum"], epsilon=1e-5)
    yield "attention", node("Attention", projected, num_heads=HEADS)
    yield "attention-mask", node("Attention", {**projected, "m": mask}, num_heads=HEADS, mask_filter_value=-3.0)
    yield "attention-lengths", node("Attention", {**projected, "m": lengths}, num_heads=HEADS)
    yield "attention-causal", node("Attention", {**projected, "m": mask}, num_heads=HEADS, unidirectional=1)
    past = {**projected, "m": None, "past": floats(2, BATCH, HEADS, 3, SIZE)}
    yield "attention-past", node("Attention", past, ["y", "present"], num_heads=HEADS, unidirectional=1, scale=0.3)
    yield "multi-head-attention", node("MultiHeadAttention", {**each, "b": floats(3 * WIDTH)}, num_heads=HEADS)
    masked = {**each, "b": None, "m": np.array([[1] * 6, [1] * 3 + [0] * 3], np.int32), "bias": floats(1, HEADS, LENGTH, LENGTH + 2)}
    yield "multi-head-attention-mask", node("MultiHeadAttention", masked, num_heads=HEADS, mask_filter_value=-4.0)
    before = {"q": heads_of(1), "k": heads_of(1), "v": heads_of(1), "b": None, "m": None, "bias": None,
              "pk": floats(BATCH, HEADS, 3, SIZE), "pv": floats(BATCH, HEADS, 3, SIZE)}
    yield "multi-head-attention-past", node("MultiHeadAttention", before, ["y", "k2", "v2"], num_heads=HEADS)
    positions = np.array([[0, 1, 2, 3], [4, 5, 6, 7]], np.int64)
    for name, options in (("", {}), ("-interleaved", {"interleaved": 1})):
        rotated = {"x": x, "at": positions, "cos": cosine, "sin": sine}
        yield "runtime-rotary" + name, node("RotaryEmbedding", rotated, **options)
    yield "group-query-attention", node("GroupQueryAttention", group, ["y", "k2", "v2"], num_heads=4, kv_num_heads=2)
    rotated = {**group, "cos": np.cos(wide), "sin": np.sin(wide)}
    yield "group-query-attention-rotary", node("GroupQueryAttention", rotated, ["y", "k2", "v2"], num_heads=4,
                                               kv_num_heads=2, do_rotary=1, local_window_size=2, softcap=2.0)
    yield from decoders(wide)


def decoders(angles):
    """Yields cases of GroupQueryAttention, of LinearAttention, and of MultiHeadAttention with packed inputs. In most
    cases of GroupQueryAttention, the inputs contain earlier keys and values, either exactly these rows or a longer
    buffer. `angles` contains the angles of rotary embeddings, one row for each position."""
    heads = {"num_heads": 4, "kv_num_heads": 2}

    def group(new, room, lasts, total, packed=False, **more):
        """Returns the inputs of GroupQueryAttention for `new` tokens per sequence, where pk and pv have `room`
        positions (0: they are omitted), the last valid positions are `lasts`, and the longest sequence has `total`
        tokens. If `packed` is true, q also contains the keys and values. `more` contains optional inputs by name."""
        parts = {name: floats(len(lasts), new, width) for name, width in (("q", 64), ("k", 32), ("v", 32))}
        if packed:
            parts = {"q": np.concatenate(list(parts.values()), 2), "k": None, "v": None}
        past = {name: floats(len(lasts), 2, room, 16) if room else None for name in ("pk", "pv")}
        names = ["cos", "sin", "at", "bias", "sink"]
        last = max([names.index(name) + 1 for name in more], default=0)
        return {**parts, **past, "last": np.array(lasts, np.int32), "total": np.array(total, np.int32),
                **{name: more.get(name) for name in names[:last]}}

    shown = ["y", "k2", "v2"]
    tables = {"cos": np.cos(angles), "sin": np.sin(angles)}
    cases = {
        "past": (group(1, 5, [5, 2], 6), {"known": ["total"]}),
        "buffer": (group(1, 9, [5, 2], 6), {}),
        "chunk": (group(3, 5, [7], 8), {"known": ["total"]}),
        "chunk-in-buffer": (group(3, 9, [7], 8), {"local_window_size": 4}),
        "prompt-in-buffer": (group(4, 9, [3, 1], 4, **tables), {"known": ["total"], "do_rotary": 1}),
        "past-rotary-packed": (group(1, 9, [5, 2], 6, packed=True, **tables), {"do_rotary": 1, "rotary_interleaved": 1}),
        "past-position-ids": (group(1, 9, [5, 2], 6, at=np.array([[3], [7]]), **tables), {"known": ["total"], "do_rotary": 1}),
        "prompt-position-ids": (group(4, 0, [3, 3], 4, at=np.array([[3, 4, 5, 6], [7, 8, 9, 2]]), **tables), {"do_rotary": 1}),
        "past-window": (group(1, 9, [8, 5], 9), {"local_window_size": 3, "softcap": 2.0, "scale": 0.4}),
        "past-bias": (group(1, 9, [5, 2], 6, bias=floats(2, 1, 1, 6)), {"known": ["total"]}),
        "past-sink": (group(1, 9, [8, 5], 9, sink=floats(4)), {"local_window_size": 3}),
        "prompt-sink-bias": (group(4, 0, [3, 3], 4, bias=floats(1, 4, 4, 4), sink=floats(4)), {}),
        "past-smooth": (group(1, 5, [5, 2], 6), {"known": ["total"], "smooth_softmax": 1, "softcap": 2.0}),
    }
    for name, (inputs, options) in cases.items():
        yield f"group-query-attention-{name}", node("GroupQueryAttention", inputs, shown, **heads, **options)
    yield from recurrences()
    # ONNX Runtime does not support packed inputs on CPUs. The expected results are therefore computed with the same
    # queries, keys and values as three separate inputs.
    q, k, v = (floats(BATCH, LENGTH, HEADS, SIZE) for _ in range(3))
    flat = lambda x: x.reshape(BATCH, LENGTH, WIDTH)
    apart = {"q": flat(q), "k": flat(k), "v": flat(v)}
    for name, packed in (("qkv", {"q": np.stack([q, k, v], 3)}),
                         ("kv", {"q": flat(q), "k": np.stack([k, v], 3)})):
        _, _, expected = node("MultiHeadAttention", apart, num_heads=HEADS)
        model, inputs, _ = node("MultiHeadAttention", packed, run=False, num_heads=HEADS)
        yield f"multi-head-attention-packed-{name}", (model, inputs, expected)


def recurrences():
    """Yields a case of LinearAttention for each update rule. As in trained models, keys have the Euclidean norm 1,
    `beta` is between 0 and 1, and `decay`, which is the logarithm of a factor, is negative."""
    for rule, length in (("linear", 5), ("gated", 9), ("delta", 9), ("gated_delta", 70)):
        inputs = {"q": floats(BATCH, length, 16), "k": floats(BATCH, length, 2, 4), "v": floats(BATCH, length, 6),
                  "past": floats(BATCH, 2, 4, 3), "decay": None, "beta": None}
        inputs["k"] = (inputs["k"] / np.linalg.norm(inputs["k"], axis=-1, keepdims=True)).reshape(BATCH, length, 8)
        if "gated" in rule:
            inputs["decay"] = -np.abs(floats(BATCH, length, 8 if rule == "gated" else 2))
        if "delta" in rule:
            inputs["beta"] = 1 / (1 + np.exp(-floats(BATCH, length, 1 if rule == "delta" else 2)))
        yield "linear-attention-" + rule.replace("_", "-"), node("LinearAttention", inputs, ["y", "state"], update_rule=rule,
                                                                 q_num_heads=4, kv_num_heads=2)


def optimized(folder):
    """Yields cases with models of the package transformers that torch's script exporter wrote to `folder` and ONNX
    Runtime's optimizer then fused. Creates `folder`, which must not exist."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    folder.mkdir()
    ids = torch.tensor([[1, 4, 2, 7, 3], [5, 6, 2, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    sizes = {"vocab_size": 12, "attn_implementation": "eager"}
    models = {
        "bert": transformers.BertModel(transformers.BertConfig(
            hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24,
            max_position_embeddings=10, **sizes), add_pooling_layer=False),
        "gpt2": transformers.GPT2Model(transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=10, use_cache=False, **sizes)),
    }
    for name, model in models.items():
        class First(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model.eval()

            def forward(self, input_ids, attention_mask):
                return self.model(input_ids=input_ids, attention_mask=attention_mask, return_dict=False)[0]

        path, inputs = folder / f"{name}.onnx", {"input_ids": ids, "attention_mask": mask}
        torch.onnx.export(First(), (ids, mask), path, opset_version=17, dynamo=False, input_names=list(inputs),
                          output_names=["y"])
        fused = optimizer.optimize_model(str(path), model_type=name, num_heads=2, hidden_size=16, opt_level=0).model
        yield f"optimized-{name}", (fused, *results_of(fused, {k: v.numpy() for k, v in inputs.items()}))


def cases(folder):
    """Returns all cases by name. `folder` is a folder for temporary files, which this function creates."""
    torch.manual_seed(0)
    return dict([*nodes(), *optimized(folder)])
