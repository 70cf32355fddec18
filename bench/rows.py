"""The rows of the tables that compare.py prints: for each row the work (the model or operation that is timed), its
peers (the programs that are timed alongside Heddle), and the target ratio."""
import dataclasses
import re

import environment
import quoted
from works.decoder import DecoderStep
from works.minilm import MiniLM
from works.operations import Attention, LayerNorm, Linear, RoundedLinear, Softmax
from works.seeds import CrossAttention, MultiHead, Seed
from works import Work


@dataclasses.dataclass
class Row:
    """A work that is timed with Heddle and with its peers."""
    title: str
    work: Work
    peers: list     # names of modules in peers/
    # Targets for the ratio of the fastest peer's median to Heddle's, on one thread and on two (None: no target).
    targets: tuple
    microseconds: float = None  # target for the time of a call (None: no target)
    cold: bool = False          # whether the caches are filled with other memory before each call

    def target(self, threads):
        """Returns the target for this number of threads; more than two threads have the target of two."""
        return self.targets[min(threads, 2) - 1]


# Peers that compute whole models from ONNX files, and peers that compute linear layers.
GRAPHS = ["onnx_runtime", "openvino_cpu"]
LINEAR = ["torch_packed", "onednn_packed", "torch_eager"]


# The following functions yield the rows. cache: the folder for the files of works; model: MiniLM's folder.
def minilm(cache, model):
    peers = GRAPHS + ["inductor"]
    for batch, sequence, skip, note, targets in [
            (1, 16, False, "", (1.5, 1.6)), (1, 128, False, "", (1.18, 1.30)), (1, 512, False, "", (1.10, 1.15)),
            (8, 128, False, ", a quarter padding, computed", (1.08, 1.12)),
            (8, 128, True, ", a quarter padding, skipped", (1.30, 1.30))]:
        yield Row(f"MiniLM b{batch}-s{sequence}{note}", MiniLM(cache, model, batch, sequence, skip), peers, targets)
    for sequence, targets in [(16, (1.3, 1.0)), (128, (1.0, 1.0))]:
        yield Row(f"MiniLM b1-s{sequence}, cold", MiniLM(cache, model, 1, sequence), peers, targets, cold=True)


# Peers by precision. The text after a colon, here a number, is a further argument of the peer's `prepare`.
LOW = {"int8": ["onnx_runtime_int8", "openvino_int8:32", "openvino_int8:128", "openvino_int8:384"],
       "bf16": ["openvino_bf16"]}


def low_precision(cache, model):
    """Yields rows in which Heddle and its peers round in their own ways. Beside each time, the table shows the worst
    cosine between a vector of the result and the same vector in f64."""
    for precision, sequence, targets in [("int8", 16, (1.1, 1.1)), ("int8", 128, (1.2, 1.2)), ("int8-block", 16, (None, None)),
                                         ("int8-block", 128, (None, None)), ("bf16", 16, (1.1, 1.1)),
                                         ("bf16", 128, (1.1, 1.1))]:
        work = MiniLM(cache, model, 1, sequence, precision=precision)
        yield Row(f"MiniLM b1-s{sequence}, {precision}", work, LOW[precision.split("-")[0]], targets)


# The peers of rows that measure the matrix instructions of AMX. One of them is Heddle without these instructions. ONNX
# Runtime has no bf16, so it computes in f32 in the rows of bf16.
MATRICES = {"bf16": ["heddle:-amx-tile", "openvino_bf16", "onnx_runtime"],
            "int8": ["heddle:-amx-tile", "onnx_runtime_int8", "openvino_int8:384", "openvino_int8:384:bf16"]}


def matrices(cache, model):
    """Yields rows in which Heddle uses the matrix instructions of AMX, if this CPU has them."""
    if "amx_tile" not in environment.machine()["features"]:
        return
    for precision, peers in MATRICES.items():
        yield Row(f"MiniLM b1-s128, {precision}, AMX", MiniLM(cache, model, 1, 128, precision=precision), peers,
                  (None, None))
        for m, n, k in [(128, 1536, 384), (128, 384, 1536)]:
            work = RoundedLinear(cache, precision, m=m, n=n, k=k)
            yield Row(f"linear {m}x{n}x{k}, {precision}, AMX", work, peers, (None, None))


def decoders(cache):
    for past in (64, 1024):
        yield Row(f"decoder step after {past} tokens", DecoderStep(cache, past), GRAPHS + ["torch_decoder"], (1.0, 1.0))


def seeds(cache):
    yield Row("001-multi-head", MultiHead(cache, "001-multi-head"), GRAPHS, (1.12, 1.35))
    yield Row("002-cross-attention-padding", CrossAttention(cache, "002-cross-attention-padding"), GRAPHS, (1.08, 1.3))
    for name, limit in [("000-self-attention-masked", 1), ("003-multi-head", 6), ("004-transformer-multi", 1),
                        ("004-transformer-vocab", 2), ("004-linear-attention", 1)]:
        yield Row(name, Seed(cache, name), GRAPHS + ["iree_cpu"], (5, None), limit)


def attention(cache):
    for sizes, plain, causal in [
            (dict(s=128, d=64), (1.4, 1.6), (2.0, 2.0)), (dict(s=512, d=64), (1.2, 1.4), (2.2, 2.3)),
            (dict(s=2048, d=64), (1.15, 1.2), (1.4, 1.5)), (dict(s=512, d=128), (1.10, 1.12), None),
            (dict(s=512, d=39), (1.2, 1.5), None), (dict(s=135, d=64), (1.5, 1.5), None),
            (dict(s=1000, d=64), (1.15, 1.25), None), (dict(sq=1, skv=4096, d=64), (1.10, 1.25), None)]:
        shape = " ".join(f"{name.upper()}={value}" for name, value in sizes.items())
        for extra, note, targets in [({}, "", plain), (dict(causal="upper_left"), ", causal", causal)]:
            if targets:
                work = Attention(cache, b=1, hq=12, hkv=12, **sizes, **extra)
                yield Row(f"attention {shape}{note}", work, ["torch_eager"], targets)


def linear(cache):
    for m, n, k, targets in [(128, 1536, 384, (1.0, 1.0)), (512, 3072, 768, (1.0, 1.0)), (512, 768, 3072, (1.0, 1.0)),
                             (100, 300, 200, (1.10, 1.3)), (1, 3072, 768, (1.05, 1.05))]:
        for extra, note in [({}, ""), (dict(activation="gelu"), " + GELU")]:
            yield Row(f"linear {m}x{n}x{k}{note}", Linear(cache, m=m, n=n, k=k, **extra), LINEAR, targets)
    for m, n, k in [(16, 1536, 384), (1, 3072, 768)]:
        yield Row(f"linear {m}x{n}x{k}, cold", Linear(cache, m=m, n=n, k=k), LINEAR, (1.0, 1.0), cold=True)


def norms(cache):
    for kind, name, targets in [(LayerNorm, "layer norm", [(2.5, 2.5), (1.3, 1.3), (2.5, 2.0)]),
                                (Softmax, "softmax", [(2.0, 2.0), (1.5, 1.5), (1.5, 1.4)])]:
        for (rows, d), target in zip([(128, 384), (1024, 768), (4096, 4096)], targets):
            yield Row(f"{name} {rows}x{d}", kind(cache, rows=rows, d=d), ["torch_eager"], target)


def all_rows(cache, model):
    return [*minilm(cache, model), *low_precision(cache, model), *matrices(cache, model), *decoders(cache),
            *seeds(cache), *attention(cache), *linear(cache), *norms(cache)]


def own(text, cache, model):
    """Returns a row for an operation or model size given as text; see quoted.py."""
    kind, knobs = quoted.parse(text)
    if kind == "minilm":
        work, peers = MiniLM(cache, model, knobs["b"], knobs["s"]), GRAPHS + ["inductor"]
    else:
        work = {"attention": Attention, "linear": Linear, "layer_norm": LayerNorm, "softmax": Softmax}[kind](
            cache, **knobs)
        peers = LINEAR if kind == "linear" else ["torch_eager"]
    return Row(text, work, peers, (None, None))


def select(wanted, cache, model):
    """Yields the table's rows whose titles match a pattern in `wanted`, or all rows if `wanted` is empty; then the rows
    given as quoted operations."""
    patterns = [text for text in wanted if not quoted.is_operation(text)]
    if patterns or not wanted:
        yield from (row for row in all_rows(cache, model)
                    if not wanted or any(re.search(pattern, row.title) for pattern in patterns))
    for text in dict.fromkeys(text for text in wanted if quoted.is_operation(text)):
        yield own(text, cache, model)
