"""One step of a decoder, which computes a single token that follows a past. The model is a llama of SmolLM2-135M's
shape with random weights from a fixed seed."""
import functools

import torch

from . import Work

SHAPE = dict(vocab_size=49152, hidden_size=576, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
             intermediate_size=1536, max_position_embeddings=2048, tie_word_embeddings=True)


class Step(torch.nn.Module):
    """Maps a token, and the keys and values of the past (a pair of tensors for each layer), to logits. The new keys and
    values are not returned, which saves peers a copy."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, input_ids, *past):
        from transformers import DynamicCache
        cache = DynamicCache(config=self.decoder.config)
        for layer in range(len(past) // 2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        return self.decoder(input_ids=input_ids, past_key_values=cache).logits[:, -1]


class DecoderStep(Work):
    """A step after `past` tokens. The inputs contain the past twice: as the tokens of the prompt, for programs that
    keep a state, and as keys and values, for the ONNX file."""
    keeps_state = True
    memory = "read"

    def __init__(self, cache, past):
        super().__init__(f"decoder-step-{past}", cache)
        self.past, self.model = past, self.folder.parent / "decoder"
        self.onnx = self.folder / "model.onnx"

    @functools.cached_property
    def decoder(self):
        """The model in f32, as a transformers module. Its files are created if they are missing."""
        from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
        if not (self.model / "model.safetensors").exists():
            torch.manual_seed(7)
            LlamaForCausalLM(LlamaConfig(**SHAPE)).save_pretrained(self.model)
        return AutoModelForCausalLM.from_pretrained(self.model, dtype=torch.float32).eval()

    def filled(self, cache):
        """Fills the cache with the keys and values of the prompt (the tokens of the past), and returns the cache."""
        self.decoder(input_ids=self.tensor("prompt"), past_key_values=cache, logits_to_keep=1)
        return cache

    def build(self):
        from transformers import AutoModelForCausalLM, DynamicCache
        text = torch.randint(0, SHAPE["vocab_size"], (1, self.past + 1), generator=torch.Generator().manual_seed(7))
        prompt, token = text[:, :self.past].contiguous(), text[:, self.past:].contiguous()
        self.inputs = {"prompt": prompt.numpy()}
        with torch.no_grad():
            cache = self.filled(DynamicCache(config=self.decoder.config))
            past = [tensor.contiguous() for layer in cache.layers for tensor in (layer.keys, layer.values)]
            names = ["input_ids"] + [f"past.{i // 2}.{'key' if i % 2 == 0 else 'value'}" for i in range(len(past))]
            torch.onnx.export(Step(self.decoder), (token, *past), str(self.onnx), input_names=names,
                              output_names=["logits"], opset_version=17, dynamo=False)
            exact = AutoModelForCausalLM.from_pretrained(self.model, dtype=torch.float64).eval()
            expected = exact(input_ids=text, use_cache=False, logits_to_keep=1).logits[:, -1].float()
        inputs = {name: value.numpy() for name, value in zip(names, (token, *past))}
        return inputs | {"past": torch.tensor([self.past]).numpy(), "prompt": prompt.numpy()}, {"logits": expected.numpy()}

    def weights(self):
        """Returns the number of weights with which a step multiplies."""
        width, layers, heads, stored = (SHAPE[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads",
                                                                 "num_key_value_heads"))
        projections = 2 * width * width * (heads + stored) // heads
        return layers * (projections + 3 * width * SHAPE["intermediate_size"]) + width * SHAPE["vocab_size"]

    def flops(self):
        """Returns the number of operations: products with weights, attention scores, and weighted sums of values."""
        return 2 * (self.weights() + 2 * SHAPE["num_hidden_layers"] * SHAPE["hidden_size"] * (self.past + 1))

    def moved(self):
        """Returns the number of bytes of all weights and of the keys and values of the past."""
        return 4 * self.weights() + sum(value.nbytes for name, value in self.inputs.items() if name.startswith("past."))

    def heddle_arguments(self):
        return [str(self.model), "--decoder", "--dim", "batch_size=1", "--dim", "sequence_length=1", "--dim",
                f"capacity={self.past + 1}"]

    def fill(self, call):
        """Feeds the prompt to Heddle's state token by token, since the library computes single steps only."""
        token = self.inputs["input_ids"].copy()
        for place in range(self.past):
            self.inputs["input_ids"][:] = self.inputs["prompt"][0, place]
            self.inputs["past"][:] = place
            call()
        self.inputs["input_ids"][:], self.inputs["past"][:] = token, self.past
