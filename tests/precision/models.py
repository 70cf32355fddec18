"""Random models for everywhere.py, and calls of them.

Each kind of model is a class with these members:
- `words`: the model and its import options as words of a command line;
- `fixed`: these words with fixed sizes, or None;
- `precisions`: the values of --precision with which the model may be compiled; None is the precision of its file;
- `isOneLayer`: whether the model is a single linear layer;
- `isCalled`: whether `heddle verify` calls the model with tensors; if False, it runs scripts of calls instead;
- `atCall`: the words that replace `words` in `heddle run`;
- `call(random)`: returns the inputs of a call, the inputs of a second call or None, and two indices, `begin` and `end`.
  The inputs of the second call are the entries `begin` to `end` - 1 of the inputs of the first. The sizes of both calls
  are in the same class (the subranges of sizes that share code).
"""
import json
import pathlib

import tensors
from tensors import Tensor

DATA = pathlib.Path(__file__).parent.parent / "data"
LAYERS = ["int8", "int8-block", "bf16", "bf16-weights", "f16-weights"]
PARTS = ["int8:ffn", "bf16,int8:ffn", "int8,int8-block:ffn"]
TABLES = ["int8:embedding,int8-block:linear", "int8:ffn,bf16:linear"]
STATES = ["bf16", "f16", "int8"]
STRATEGIES = ["linear=linear-dots:panel=16", "linear=linear-dots:panel=64,registers=2",
              "linear=linear-rounded-rows", "linear=linear-rounded-rows:panel=32,registers=12"]
ENCODERS = ["tiny-bert", "bert-words", "mpnet", "sentence-bert", "albert", "modernbert", "tiny-llama", "tiny-gpt2"]
DECODERS = ["tiny-gemma3", "tiny-gpt2", "tiny-gpt-neox", "tiny-llama", "tiny-phi3", "tiny-qwen3"]


def classes(random, most, parts=3):
    """Returns random ranges of one size as pairs (low, high), with a maximum of `most`: a single number, a range, or at
    most `parts` adjacent ranges, which become classes of sizes."""
    kind = random.randrange(5)
    if kind < 2:
        size = random.choice([1, random.randint(1, most)])
        return [(size, size)]
    if kind < 4:
        low = random.choice([1, random.randint(1, most)])
        return [(low, random.randint(low, most))]
    ends = sorted(random.sample(range(1, most + 1), random.choice([2, 2, parts])))
    return [(low + 1, high) for low, high in zip([0, *ends], ends)]


def text(ranges):
    """Returns ranges in the form that options and knobs accept, such as 1..4,5..9."""
    return ",".join(f"{low}..{high}" if low < high else str(low) for low, high in ranges)


def dims(**sizes):
    """Returns the words of options --dim."""
    return [word for name, size in sizes.items() for word in ("--dim", f"{name}={size}")]


def part_of(inputs, begin, end):
    """Returns the entries begin to end - 1 of each input."""
    return {name: tensor.part(begin, end) for name, tensor in inputs.items()}


class Layer:
    """A quoted linear or feed-forward layer, whose weights are constants of the model."""

    isCalled = True

    def __init__(self, random):
        self.isOneLayer = random.random() < 0.6
        self.precisions = LAYERS if self.isOneLayer else LAYERS + PARTS
        self.sizes = classes(random, 70)
        self.k, self.n = random.randint(1, 70), random.randint(1, 70)
        self.hasResidual = random.random() < 0.3
        knobs = {"k": self.k, "n": self.n, "weights": "constant",
                 "activation": random.choice(["none", "relu", "gelu", "gelu_tanh", "silu", "tanh"]),
                 "bias": random.randrange(2), "residual": int(self.hasResidual)}
        if not self.isOneLayer:
            knobs |= {"h": random.randint(1, 70), "gated": random.randrange(2)}
        name = "linear" if self.isOneLayer else "ffn"
        of_size = lambda m: [f"{name} m={m}" + "".join(f" {knob}={value}" for knob, value in knobs.items())]
        self.words, self.fixed = of_size(text(self.sizes)), of_size(min(9, self.sizes[-1][1]))
        self.atCall = self.words

    def call(self, random):
        low, high = random.choice(self.sizes)
        whole = {"input": self._rows(random, high, self.k)}
        if self.hasResidual:
            whole["residual"] = self._rows(random, high, self.n)
        count = random.randint(low, high)
        begin = random.randint(0, high - count)
        return whole, part_of(whole, begin, begin + count), begin, begin + count

    def _rows(self, random, count, width):
        """Returns rows of random numbers. Some rows are large or small, and some have a large column."""
        numbers = [random.gauss(0, 1) for _ in range(count * width)]
        for row in range(count):
            size = random.choice([1, 1, 1, 1e-3, 30])
            for i in range(row * width, (row + 1) * width):
                numbers[i] *= size
            numbers[row * width + random.randrange(width)] *= random.choice([1, 1, 20])
        return Tensor([count, width], numbers)


class Encoder:
    """A small Hugging Face model, for up to three sentences of up to 17 tokens."""

    isOneLayer, isCalled = False, True
    precisions = LAYERS + PARTS + TABLES

    def __init__(self, random):
        self._choose(random, random.choice(ENCODERS))

    def _choose(self, random, name):
        self.folder = DATA / "huggingface" / name
        self.batch, self.sizes = (1, random.choice([1, 2, 3])), classes(random, 17, 2)
        self.words = [str(self.folder), *dims(batch_size=text([self.batch]), sequence_length=text(self.sizes))]
        self.fixed = [str(self.folder), *dims(batch_size=1, sequence_length=min(5, self.sizes[-1][1]))]
        self.atCall = self.words

    def call(self, random):
        vocabulary = json.loads((self.folder / "config.json").read_text())["vocab_size"]
        count, length = self.batch[1], random.randint(*random.choice(self.sizes))
        lengths = [random.randint(1, length) for _ in range(count)]
        mask = [int(i < filled) for filled in lengths for i in range(length)]
        ids = [random.randrange(vocabulary) for _ in mask]
        given = (("input_ids", ids), ("attention_mask", mask), ("token_type_ids", [0] * len(ids)))
        whole = {name: Tensor([count, length], numbers, "I64") for name, numbers in given}
        begin = random.randrange(count)
        return whole, part_of(whole, begin, begin + 1), begin, begin + 1


class Decoder(Encoder):
    """A decoder that keeps keys and values in bf16, f16 or int8. Scripts verify sequences of calls; `call` returns the
    inputs of a first call."""

    isCalled = False
    precisions = [None, *LAYERS, *PARTS]

    def __init__(self, random):
        self._choose(random, random.choice(DECODERS))
        stored = random.choice(STATES)
        self.words += ["--decoder", "--state-precision", stored]
        self.atCall, self.fixed = [*self.words, *dims(capacity=20)], None
        self.words += dims(capacity="20..24")

    def call(self, random):
        whole, part, begin, end = super().call(random)
        return {"input_ids": whole["input_ids"]}, {"input_ids": part["input_ids"]}, begin, end


class QuantisedGraph:
    """An ONNX file with one or two quantised layers. The inputs are in the folder of the file."""

    isOneLayer, isCalled, precisions = False, True, [None]

    def __init__(self, random):
        self.folder = random.choice(sorted((DATA / "quantised").glob("*/model.onnx"))).parent
        self.words = self.atCall = self.fixed = [str(self.folder / "model.onnx")]
        self.inputs = tensors.read(self.folder / "inputs.safetensors")

    def call(self, random):
        return self.inputs, None, 0, 0


class QuantisedFolder(Encoder):
    """A quantised Hugging Face directory. If rows share an activation scale, they depend on each other, so there is no
    second call with a part of the inputs."""

    precisions = [None]

    def __init__(self, random):
        self._choose(random, random.choice(sorted((DATA / "huggingface").glob("quantized-*"))).name)

    def call(self, random):
        whole, part, begin, end = super().call(random)
        return whole, None if "tensor" in self.folder.name else part, begin, end


KINDS = {"layer": (Layer, 10), "encoder": (Encoder, 2), "decoder": (Decoder, 2), "graph": (QuantisedGraph, 4),
         "folder": (QuantisedFolder, 1)}


def draw(random, kind):
    """Returns a random model of the given kind, or of any kind if `kind` is None."""
    names = [kind] if kind else list(KINDS)
    return random.choices([KINDS[name][0] for name in names], [KINDS[name][1] for name in names])[0](random)
