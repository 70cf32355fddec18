"""Cases for make_cases.py with small models of the Python package transformers: ViT, CLIP, and decoders that are
exported as by Optimum."""
import torch
import transformers

from torch_cases import Apply, Case

SMALL = {"hidden_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
IMAGE = {"image_size": 8, "patch_size": 4}


def model(make, *inputs):
    """Returns a function for the field `make` of a Case. The function returns a module and `inputs`. The module calls
    the model that the argument `make` returns, and returns the first result of the model."""
    return lambda: (Apply(lambda m, x: m(x, return_dict=False)[0], m=make()), inputs)


def decoder(make, heads):
    """Returns the case of a decoder with one layer. make() returns the model, and `heads` is the number of heads of the
    layer's keys and values. As in Optimum, the script exporter writes the model with dynamic axes, and the model has
    the inputs position_ids and past_key_values."""
    def function(m, input_ids, attention_mask, position_ids, key, value):
        cache = transformers.DynamicCache()
        cache.update(key, value, 0)
        result = m(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache,
                   use_cache=True)
        layer = result.past_key_values.layers[0]
        return result.logits, layer.keys, layer.values

    def case():
        ids, positions = torch.tensor([[1, 4], [5, 6]]), torch.tensor([[3, 4], [3, 4]])
        past = [torch.randn(2, heads, 3, 6) for _ in range(2)]
        return Apply(function, m=make()), (ids, torch.ones(2, 5, dtype=torch.int64), positions, *past)

    batch, new, past, total = "batch_size", "sequence_length", "past_sequence_length", "past_sequence_length + sequence_length"
    names = {"input_ids": {0: batch, 1: new}, "attention_mask": {0: batch, 1: total}, "position_ids": {0: batch, 1: new},
             "past_key_values.0.key": {0: batch, 2: past}, "past_key_values.0.value": {0: batch, 2: past}}
    results = {"logits": {0: batch, 1: new}, "present.0.key": {0: batch, 2: total}, "present.0.value": {0: batch, 2: total}}
    return Case(case, {"script": [14, 18]}, names, results, {batch: 2, new: 2, past: 3})


def cases():
    """Returns the cases by name."""
    t = transformers
    text = t.CLIPTextConfig(vocab_size=20, max_position_embeddings=8, eos_token_id=2, **SMALL)
    gpt2 = t.GPT2Config(vocab_size=12, n_embd=12, n_layer=1, n_head=2, n_positions=16)
    llama = t.LlamaConfig(vocab_size=12, num_key_value_heads=1, max_position_embeddings=16, **SMALL)
    pixels = torch.linspace(-1, 1, 2 * 3 * 8 * 8).sin().reshape(2, 3, 8, 8)
    return {
        "vit": Case(model(lambda: t.ViTModel(t.ViTConfig(**SMALL, **IMAGE), add_pooling_layer=False), pixels)),
        "clip-text": Case(model(lambda: t.CLIPTextModelWithProjection(text),
                                torch.tensor([[1, 4, 9, 19, 3], [1, 5, 19, 0, 0]]))),
        "clip-vision": Case(model(lambda: t.CLIPVisionModelWithProjection(
            t.CLIPVisionConfig(**SMALL, **IMAGE, projection_dim=6)), pixels)),
        "optimum-gpt2": decoder(lambda: t.GPT2LMHeadModel(gpt2), 2),
        "optimum-llama": decoder(lambda: t.LlamaForCausalLM(llama), 1),
    }
