"""The encoder all-MiniLM-L6-v2: its directory for Heddle, and an ONNX file and a transformers module for peers."""
import torch

from . import Work


class LastHiddenState(torch.nn.Module):
    """The transformers encoder with a single output."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.encoder(input_ids=input_ids, attention_mask=attention_mask,
                            token_type_ids=token_type_ids).last_hidden_state


class MiniLM(Work):
    """MiniLM on random tokens. skip: whether Heddle skips the rows of padding, which are then not compared."""
    INPUTS = ["input_ids", "attention_mask", "token_type_ids"]

    def __init__(self, cache, model, batch, sequence, skip=False, precision="f32"):
        super().__init__(f"minilm-b{batch}-s{sequence}", cache)
        self.model, self.batch, self.sequence, self.skips_padding = model, batch, sequence, skip
        self.precision = precision
        if precision != "f32":
            self.least_cosine, self.roof = 0.5, precision.split("-")[0]
        self.onnx, self.input_order = self.folder / "model.onnx", self.INPUTS

    def encoder(self, attention):
        """Returns the encoder in f32. attention: transformers' implementation of attention, "eager" or "sdpa"."""
        from transformers import AutoModel
        return LastHiddenState(AutoModel.from_pretrained(self.model, attn_implementation=attention).eval().float())

    def arguments(self):
        """Returns random tokens. In sentence i of a batch of b, the last i/(2b) of the positions are padding, so
        about a quarter of all tokens is padding if b is large."""
        generator = torch.Generator().manual_seed(7)
        ids = torch.randint(1000, 30000, (self.batch, self.sequence), generator=generator)
        mask = torch.ones_like(ids)
        for i in range(self.batch):
            length = max(min(4, self.sequence), self.sequence - i * self.sequence // (2 * self.batch))
            ids[i, length:] = mask[i, length:] = 0
            ids[i, 0], ids[i, length - 1] = 101, 102
        return ids, mask, torch.zeros_like(ids)

    def build(self):
        arguments = self.arguments()
        with torch.no_grad():
            expected = self.encoder("eager").double()(*arguments).float()
            torch.onnx.export(self.encoder("eager"), arguments, str(self.onnx), input_names=self.INPUTS,
                              output_names=["last_hidden_state"], opset_version=17, dynamo=False)
        return ({name: value.numpy() for name, value in zip(self.INPUTS, arguments)},
                {"last_hidden_state": expected.numpy()})

    def flops(self):
        """Returns the number of operations that the result needs: all layers for the rows that are compared, but keys
        and values only for tokens that are not padding."""
        layers, width, inner = 6, 384, 1536
        lengths = self.inputs["attention_mask"].sum(1).tolist()
        rows = lengths if self.skips_padding else [self.sequence] * self.batch
        return layers * sum(n * 4 * width * (width + inner) + keys * 4 * width * width + 4 * n * keys * width
                            for n, keys in zip(rows, lengths))

    def heddle_arguments(self):
        options = ["--padding", "skip"] if self.skips_padding else []
        return [self.model, "--dim", f"batch_size={self.batch}", "--dim", f"sequence_length={self.sequence}",
                "--precision", self.precision] + options

    def torch_function(self):
        encoder = self.encoder("sdpa")
        arguments = [self.tensor(name) for name in self.INPUTS]
        return encoder, arguments

    def valid(self, output):
        return output[self.inputs["attention_mask"] != 0] if self.skips_padding else output
