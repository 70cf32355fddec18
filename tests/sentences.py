#!/usr/bin/env python3
"""Compares the results of Heddle with those of torch in f64, for N random models of sentence-transformers.

    tests/sentences.py N [KIND [SEED [HEDDLE]]]

A model is a directory with a random encoder of KIND (gemma3, gemma3-bidirectional, bert, mpnet, modernbert, or any), a
pooling, and a random chain of further modules. Its inputs are sequences of random lengths, padded on either side. If
the results of a model differ or heddle fails, the script prints the reason and the model's directory, which it
keeps, and finally exits with status 1.
SEED (0 by default) is the seed of the first model. HEDDLE is build/bin/heddle by default. Needs torch, transformers,
sentence-transformers and safetensors.
"""
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules.dense import Dense
from sentence_transformers.base.modules.normalize import Normalize
from sentence_transformers.sentence_transformer.modules.dropout import Dropout
from sentence_transformers.sentence_transformer.modules.layer_norm import LayerNorm
from sentence_transformers.sentence_transformer.modules.pooling import Pooling

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "data" / "huggingface"))
from make_decoders import in_f64, to_f64  # noqa: E402

# The largest accepted difference, relative to the largest element of the result. A model that amplifies rounding errors
# may differ more, by up to MULTIPLE times the difference between torch in f32 and torch in f64, or by up to the bound of
# `heddle verify`, which depends on the interpreter's error in f32.
TOLERANCE, MULTIPLE = 2e-5, 4
ACTIVATIONS = (torch.nn.Identity, torch.nn.Tanh, torch.nn.GELU, torch.nn.ReLU, torch.nn.SiLU)
VOCABULARY, POSITIONS = 23, 40  # the number of token ids, and the maximum length of a sequence
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def gemma3(choose, bidirectional):
    """Returns the name of the class of Gemma 3 models, and random fields of a config. `choose` is a random.Random."""
    heads = choose.choice((1, 2, 4))
    layers = choose.randint(1, 4)
    fields = dict(hidden_size=heads * choose.randint(2, 6), intermediate_size=choose.randint(3, 40),
                  num_attention_heads=heads,
                  num_key_value_heads=choose.choice([n for n in (1, 2, 4) if heads % n == 0]),
                  head_dim=2 * choose.randint(1, 8), query_pre_attn_scalar=choose.randint(1, 30),
                  sliding_window=choose.randint(1, 20), num_hidden_layers=layers, attention_bias=choose.random() < 0.2,
                  use_bidirectional_attention=bidirectional, pad_token_id=0,
                  rope_parameters={kind: {"rope_type": "default", "rope_theta": choose.choice((100.0, 1e4, 1e6))}
                                   for kind in ("full_attention", "sliding_attention")})
    if choose.random() < 0.7:
        fields["layer_types"] = [choose.choice(("sliding_attention", "full_attention")) for _ in range(layers)]
    return "Gemma3TextModel", fields


def encoder(name):
    """Returns a function of `choose` that returns `name`, a class of transformers, and random fields of a config."""
    def make(choose):
        heads = choose.choice((1, 2, 3))
        fields = dict(hidden_size=heads * 2 * choose.randint(2, 8), intermediate_size=choose.randint(3, 40),
                      num_attention_heads=heads, num_hidden_layers=choose.randint(1, 3))
        if name == "ModernBertModel":
            fields.update(local_attention=2 * choose.randint(1, 8), bos_token_id=1, eos_token_id=2, cls_token_id=1,
                          sep_token_id=2, pad_token_id=0)
        return name, fields
    return make


KINDS = {"gemma3": lambda choose: gemma3(choose, False), "gemma3-bidirectional": lambda choose: gemma3(choose, True),
         "bert": encoder("BertModel"), "mpnet": encoder("MPNetModel"), "modernbert": encoder("ModernBertModel")}


def make_modules(choose, width):
    """Returns a pooling of tokens with `width` elements, and up to five modules after it."""
    modes = choose.sample(Pooling.POOLING_MODES, choose.choice((1, 1, 1, 2, 3)))
    modules = [Pooling(width, modes)]
    width *= len(modes)
    for _ in range(choose.randint(0, 5)):
        kind = choose.choice((Dense, Dense, Dense, LayerNorm, Normalize, Dropout))
        if kind is Dense:
            out = choose.choice((width, choose.randint(1, 40)))
            module = Dense(width, out, choose.random() < 0.5, choose.choice(ACTIVATIONS)(),
                           use_residual=choose.random() < 0.3)
            width = out
        elif kind is LayerNorm:
            module = LayerNorm(width)
        else:
            module = kind()
        modules.append(module)
    return modules


def randomize(model):
    """Sets the weights to random values, with uneven attention scores, biases other than 0 and norm weights other than
    1."""
    for name, weight in sorted(model.named_parameters()):
        noise = torch.randn(weight.shape)
        if weight.dim() > 1:
            weight.data = noise * (1.6 / weight.shape[-1] ** 0.5)
        else:
            weight.data = noise * 0.3 + (1 if name.endswith("weight") else 0)


def save_modules(directory, modules):
    """Writes the modules and modules.json as SentenceTransformer.save() does."""
    listed = [("", "sentence_transformers.models.Transformer")]
    for index, module in enumerate(modules, 1):
        name = type(module).__name__
        (directory / f"{index}_{name}").mkdir()
        module.save(str(directory / f"{index}_{name}"))
        listed.append((f"{index}_{name}", f"{type(module).__module__}.{name}"))
    text = [dict(idx=index, name=str(index), path=path, type=kind) for index, (path, kind) in enumerate(listed)]
    (directory / "modules.json").write_text(json.dumps(text))


def make_inputs(choose, with_types):
    """Returns random inputs of an encoder by name. `with_types` is true for BERT, which has token types, and whose
    padding has the token id 1 in this test."""
    batch, length = choose.randint(1, 4), choose.randint(1, POSITIONS)
    ids = torch.randint(3, VOCABULARY, (batch, length))
    mask = torch.ones_like(ids)
    for row in range(batch):
        kept = choose.randint(1, length)
        if choose.random() < 0.7:
            mask[row, kept:] = 0
            if choose.random() < 0.5:
                mask[row] = mask[row].flip(0)
    ids[mask == 0] = 1 if with_types else 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    if with_types:
        inputs["token_type_ids"] = torch.randint(0, 2, ids.shape) * mask
    return inputs


def compute(model_class, directory, modules, inputs, dtype=torch.float64):
    """Returns the results that torch computes for the model in the directory, in f64 or in f32."""
    model = model_class.from_pretrained(directory, dtype=torch.float32).eval()
    modules = [copy.deepcopy(module).eval() for module in modules]
    if dtype == torch.float64:
        model, modules = to_f64(model), [module.double() for module in modules]
    with torch.no_grad():
        tokens = model(**inputs)["last_hidden_state"]
        features = {"token_embeddings": tokens, "attention_mask": inputs["attention_mask"]}
        for module in modules:
            features = module(features)
    assert tokens.dtype == features["sentence_embedding"].dtype == dtype
    return {"last_hidden_state": tokens, "sentence_embedding": features["sentence_embedding"]}


def difference(found, expected):
    """Returns the largest difference divided by the largest expected magnitude; NaN if an element of one of the tensors
    is NaN."""
    return ((found.double() - expected).abs().max() / expected.abs().max().clamp(min=1e-30)).item()


def failure(command):
    """Runs heddle. Returns the reason why it fails; an empty string if it succeeds."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return f"{command[1]}: status {done.returncode}: {done.stderr}" if done.returncode else ""


def check(seed, kind, heddle, directory):
    """Tests one random model. Returns the reason why it fails; an empty string if it passes."""
    choose = random.Random(seed)
    torch.manual_seed(seed)
    class_name, fields = KINDS[kind](choose)
    model_class = getattr(transformers, class_name)
    config = model_class.config_class(vocab_size=VOCABULARY, max_position_embeddings=POSITIONS + 8, **fields)
    model = model_class(config)
    modules = make_modules(choose, fields["hidden_size"])
    for part in (model, *modules):
        randomize(part)
    model.to(choice := choose.choice((torch.float32, torch.float32, torch.bfloat16, torch.float16)))
    model.save_pretrained(directory)
    save_modules(directory, modules)
    ranges = ["--dim", "batch_size=1..4", "--dim", f"sequence_length=1..{POSITIONS}"] if choose.random() < 0.5 else []
    library = []
    if ranges:
        if reason := failure([heddle, "compile", directory, *ranges, "-o", directory / "model.so"]):
            return reason
        library = ["--library", directory / "model.so"]
    for call in range(4 if ranges else 1):
        inputs = make_inputs(choose, class_name == "BertModel")
        expected = compute(model_class, directory, modules, inputs)
        save_file(inputs, directory / "in.safetensors")
        command = [heddle, "run", directory, *ranges, *library, "--input", directory / "in.safetensors", "--output",
                   directory / "out.safetensors"]
        if reason := failure(command):
            return reason
        found = load_file(directory / "out.safetensors")
        kept = inputs["attention_mask"].bool()
        for name, value in expected.items():
            rows = slice(None) if name == "sentence_embedding" else kept
            error = difference(found[name][rows], value[rows])
            if error <= TOLERANCE:
                continue
            single = compute(model_class, directory, modules, inputs, torch.float32)[name]
            if error <= MULTIPLE * difference(single[rows], value[rows]):
                continue
            save_file({name: value.float().contiguous()}, directory / "expected.safetensors")
            where = [] if name == "sentence_embedding" else ["--where", "attention_mask"]
            # The library has both outputs, so it cannot be verified with --only; heddle compiles the model again.
            if failure([heddle, "verify", directory, *ranges, "--only", name, *where, "--input",
                        directory / "in.safetensors", "--expected", directory / "expected.safetensors"]):
                return f"{name} of {tuple(inputs['input_ids'].shape)} differs by {error:.2g} ({choice})"
    return ""


def main(count, kind="any", seed="0", heddle="build/bin/heddle"):
    in_f64()
    kinds = list(KINDS) if kind == "any" else [kind]
    wrong = 0
    for number in range(int(seed), int(seed) + int(count)):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="sentences-"))
        one = kinds[number % len(kinds)]
        if reason := check(number, one, heddle, directory):
            wrong += 1
            print(f"{one} {number}: {reason.strip()} ({directory})", flush=True)
        else:
            shutil.rmtree(directory)
    print(f"{int(count) - wrong} of {count} models are right")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
