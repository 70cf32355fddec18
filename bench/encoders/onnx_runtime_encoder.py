"""ONNX Runtime without a framework: called as in Chroma's default embedding function, which pads every sentence to 256
tokens, and in a loop that sorts sentences and pads each batch to its longest one."""
import numpy as np
import onnxruntime
import tokenizers

from . import Encoder
from .sentence_transformers_encoder import exported, onnx_options

LONGEST = 256      # tokens of a sentence; longer sentences are truncated
CHROMA_TIMED = 64  # sentences that are timed with Chroma's padding


class Session:
    """The model and its tokenizer. `as_chroma` and `by_length` return one embedding for each sentence, in order."""

    def __init__(self, model, exports, threads):
        path = exported(model, exports, "onnx") / "onnx" / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(path), onnx_options(threads), providers=["CPUExecutionProvider"])
        self.output = self.session.get_outputs()[0].name
        self.tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.enable_truncation(max_length=LONGEST)

    def embed(self, encoded, length):
        """Embeds one batch of tokenized sentences, padded to `length` tokens. Returns, for each sentence, the mean of
        the hidden states of its tokens, normalized to length 1."""
        inputs = {name: np.zeros((len(encoded), length), np.int64)
                  for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, tokens in enumerate(encoded):
            inputs["input_ids"][row, :len(tokens.ids)] = tokens.ids
            inputs["attention_mask"][row, :len(tokens.ids)] = 1
        hidden = self.session.run([self.output], inputs)[0]
        mask = inputs["attention_mask"][..., None].astype(np.float32)
        mean = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def as_chroma(self, sentences, batch):
        """Pads every sentence to LONGEST tokens."""
        self.tokenizer.no_padding()
        parts = [self.tokenizer.encode_batch(sentences[i:i + batch]) for i in range(0, len(sentences), batch)]
        return np.concatenate([self.embed(part, LONGEST) for part in parts])

    def by_length(self, sentences, batch):
        """Sorts the sentences by length and pads each batch to its longest sentence."""
        self.tokenizer.no_padding()
        encoded = self.tokenizer.encode_batch(sentences)
        order = sorted(range(len(encoded)), key=lambda i: -len(encoded[i].ids))
        result = None
        for begin in range(0, len(order), batch):
            part = order[begin:begin + batch]
            rows = self.embed([encoded[i] for i in part], len(encoded[part[0]].ids))
            result = np.empty((len(order), rows.shape[1]), rows.dtype) if result is None else result
            result[part] = rows
        return result


def prepare(model, exports, threads):
    session = Session(model, exports, threads)
    return {"onnx_runtime_by_length": Encoder(session.by_length, default=None),
            "onnx_runtime_as_chroma": Encoder(session.as_chroma, searched=False, max_sentences=CHROMA_TIMED)}
