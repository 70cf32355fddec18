"""Writes the tokens that small decoders generate with the cache of transformers:

    python3 tests/data/huggingface/make_decoding.py tests/data/huggingface

The files were written with transformers 5.23.0, torch 2.15.0 and safetensors, after make_decoders.py had written the
models. As in make_decoders.py, transformers computes in f64. For each decoder with a head for the next token,
`decoding.safetensors` contains prompts of different lengths, and 30 steps of one token each. The token of a step is the
one with the largest logit, except in step REWIND: before this step, each sequence is rewound by BACK positions, and the
token is random.

    prompts  [3, 7]        tokens of the prompts; shorter prompts are followed by arbitrary tokens
    lengths  [3]           lengths of the prompts
    tokens   [3, 30]       the input token of each step
    past     [3, 30]       the number of positions in the cache before each step
    logits   [3, 31, ..]   logits after the prompt and after each step, as f32
"""

import pathlib
import sys

import torch
from make_decoders import CASES, in_f64, to_f64
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, DynamicCache

LENGTHS, STEPS = [3, 7, 1], 30
REWIND, BACK = 12, [2, 6, 1]
LEAST_LEAD = 1e-4  # the minimum lead of the largest logit, so that rounding to f32 does not change a token


def decode(model, prompt, back, other):
    """Decodes one sequence. The cache keeps all keys, even for layers with windows, so that it can be rewound."""
    cache, kept = DynamicCache(), prompt.tolist()
    tokens, past = [], []
    logits = [model(input_ids=prompt[None], past_key_values=cache).logits[0, -1]]
    for step in range(STEPS):
        token = int(logits[-1].argmax())
        if step == REWIND:
            cache.crop(-back)
            kept, token = kept[:-back], other
        tokens.append(token)
        past.append(len(kept))
        kept.append(token)
        logits.append(model(input_ids=torch.tensor([[token]]), past_key_values=cache).logits[0, -1])
    logits = torch.stack(logits)
    # The logits must be the same without a cache.
    whole = model(input_ids=torch.tensor([kept]), use_cache=False).logits[0]
    assert (whole[past[REWIND]:] - logits[REWIND + 1:]).abs().max() < 1e-9
    return torch.tensor(tokens), torch.tensor(past), logits


def is_clear(logits):
    first, second = logits.topk(2).values.unbind(-1)
    return (first - second).min() > LEAST_LEAD


def generate(model, prompts):
    """Returns the tokens that transformers' generate() returns for the whole batch, padded on the left."""
    longest = max(LENGTHS)
    ids, mask = torch.zeros(2, len(LENGTHS), longest, dtype=torch.int64)
    for row, length in enumerate(LENGTHS):
        ids[row, longest - length:], mask[row, longest - length:] = prompts[row, :length], 1
    model.generation_config.eos_token_id = None
    return model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=REWIND, do_sample=False,
                          pad_token_id=0)[:, longest:]


def write(folder, number):
    torch.manual_seed(1000 + number)
    model = AutoModelForCausalLM.from_pretrained(folder)
    vocabulary = model.config.vocab_size
    model = to_f64(model).eval()
    with torch.no_grad():
        logits = torch.zeros(1, 2)
        while not is_clear(logits):
            prompts = torch.randint(0, vocabulary, (len(LENGTHS), max(LENGTHS)))
            others = torch.randint(0, vocabulary, (len(LENGTHS),)).tolist()
            decoded = [decode(model, prompts[row, :length], BACK[row], others[row])
                       for row, length in enumerate(LENGTHS)]
            tokens, past, logits = (torch.stack(parts) for parts in zip(*decoded))
        assert torch.equal(generate(model, prompts), tokens[:, :REWIND])
    assert logits.dtype == torch.float64
    save_file({"prompts": prompts, "lengths": torch.tensor(LENGTHS), "tokens": tokens, "past": past,
               "logits": logits.float()}, folder / "decoding.safetensors")


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    in_f64()
    for number, (name, (_, head, _)) in enumerate(CASES.items()):
        if head == "ForCausalLM":
            write(root / name, number)
