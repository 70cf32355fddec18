"""Random operations, which `--random` of compare.py and defaults.py adds to the rows that --rows selects. Some of their
sizes are common, others unusual; the same seed gives the same operations."""
import math
import random

KINDS = ["attention", "linear", "layer_norm", "minilm", "attention", "linear", "softmax"]  # used in turn
FLOPS = 2e9         # maximum for attention and linear layers, so no call takes much longer than 50 ms
ELEMENTS = 8 << 20  # maximum for a norm or softmax
HEADS = [(1, 1), (2, 1), (4, 4), (8, 2), (12, 4), (12, 12), (16, 16), (24, 8), (32, 8)]
HEAD_SIZES = [16, 32, 39, 40, 48, 64, 64, 72, 80, 96, 100, 128]
WIDTHS = [64, 96, 128, 192, 256, 300, 312, 384, 500, 512, 640, 768, 1000, 1024, 1280, 1536, 2048, 3072, 4096]


def size(generator, least, most):
    """Returns a random size with a uniformly distributed logarithm: as often between 8 and 16 as between 512 and
    1024."""
    return round(math.exp(generator.uniform(math.log(least), math.log(most))))


def width(generator):
    """Returns a random number of columns, three times out of four a common one."""
    return generator.choice(WIDTHS) if generator.random() < 0.75 else size(generator, 17, 3000)


# The following functions return the knobs of a random operation, and whether it is small enough to be measured.
def attention(generator):
    (hq, hkv), d = generator.choice(HEADS), generator.choice(HEAD_SIZES)
    sizes = {"b": generator.choice([1, 1, 2, 4]), "hq": hq, "hkv": hkv}
    if generator.random() < 0.25:  # few queries, many keys
        sizes |= {"sq": generator.choice([1, 1, 4, 16, 64]), "skv": size(generator, 128, 4096), "d": d}
        causal = generator.choice(["none", "lower_right"])
    else:
        sizes |= {"s": size(generator, 3, 2048), "d": d}
        causal = generator.choice(["none", "none", "lower_right"])
    words = sizes | ({"causal": causal} if causal != "none" else {})
    sq, skv = sizes.get("sq", sizes.get("s")), sizes.get("skv", sizes.get("s"))
    return words, 4 * sizes["b"] * hq * sq * skv * d <= FLOPS


def linear(generator):
    words = {"m": size(generator, 1, 1024), "n": width(generator), "k": width(generator)}
    activation = generator.choice(["none", "none", "gelu", "relu", "silu"])
    fits = 2 * math.prod(words.values()) <= FLOPS
    return words | ({"activation": activation} if activation != "none" else {}), fits


def norm(generator):
    words = {"rows": size(generator, 1, 8192), "d": width(generator)}
    return words, math.prod(words.values()) <= ELEMENTS


def minilm(generator):
    words = {"b": size(generator, 1, 8), "s": size(generator, 3, 300)}
    return words, math.prod(words.values()) <= 250


MAKERS = {"attention": attention, "layer_norm": norm, "softmax": norm, "linear": linear, "minilm": minilm}


def make(count, seed):
    """Returns `count` different operations as text."""
    generator, rows = random.Random(seed), []
    while len(rows) < count:
        kind = KINDS[len(rows) % len(KINDS)]
        words, fits = MAKERS[kind](generator)
        text = " ".join([kind] + [f"{name}={value}" for name, value in words.items()])
        if fits and text not in rows:
            rows.append(text)
    kinds = list(MAKERS)
    return sorted(rows, key=lambda text: kinds.index(text.split()[0]))
