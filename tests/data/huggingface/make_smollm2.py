"""Writes a decoder with the sizes of SmolLM2-135M and random weights, and the tokens that it generates:

    python3 tests/data/huggingface/make_smollm2.py FOLDER

The model tests what small models cannot: time, memory, and rounding over many layers. transformers writes `config.json`
and `model.safetensors` (f32, 540 MB). `tokens.safetensors` contains `prompts` [5, 40], their `lengths` [5], and the 64
`tokens` [5, 64] that follow each prompt, computed in f64 with the cache of transformers. For each prompt, the script
prints the smallest lead of a token's logit over the second largest logit. If this lead is well above 1e-4, rounding to
f32 changes no token. The script was run with transformers 5.23.0 and torch 2.15.0.
"""

import pathlib
import sys

import torch
from make_decoders import in_f64, to_f64
from safetensors.torch import save_file
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

CONFIG = {
    "vocab_size": 49152, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
    "num_attention_heads": 9, "num_key_value_heads": 3, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5,
    "rope_theta": 100000, "tie_word_embeddings": True, "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "silu",
}
LENGTHS, COUNT = [5, 17, 1, 40, 9], 64


def follow(model, prompt):
    cache, tokens, ids, least = DynamicCache(), [], prompt[None], float("inf")
    for _ in range(COUNT):
        logits = model(input_ids=ids, past_key_values=cache, logits_to_keep=1).logits[0, -1]
        first, second = logits.topk(2).values.tolist()
        least = min(least, first - second)
        tokens.append(int(logits.argmax()))
        ids = torch.tensor([tokens[-1:]])
    return tokens, least


def main(folder):
    torch.manual_seed(0)
    model = LlamaForCausalLM(LlamaConfig(**CONFIG))
    for name, parameter in model.named_parameters():
        scale = 0.1 if "norm" in name else 0.04 if "embed" in name else 1.5 * parameter.shape[-1] ** -0.5
        parameter.data = torch.randn_like(parameter) * scale + ("norm" in name)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    model = to_f64(model).eval()
    prompts = torch.randint(0, CONFIG["vocab_size"], (len(LENGTHS), max(LENGTHS)))
    tokens = []
    with torch.no_grad():
        for prompt, length in zip(prompts, LENGTHS):
            found, least = follow(model, prompt[:length])
            print(f"{length} tokens: least lead {least:.2g}, {len(set(found))} different tokens", flush=True)
            tokens.append(found)
    save_file({"prompts": prompts, "lengths": torch.tensor(LENGTHS), "tokens": torch.tensor(tokens)},
              folder / "tokens.safetensors")


if __name__ == "__main__":
    in_f64()
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
