"""Parses operations that are quoted as for `heddle bench`: 'attention hq=12 s=200 d=64'. 'minilm b=8 s=128' is the
model all-MiniLM-L6-v2 for 8 sentences of 128 tokens.

Only the knobs in KNOBS are accepted. They have the names and defaults of Heddle's quoted operations, with two
differences: the weight of a linear layer is a constant of the model, and a linear layer has a bias unless bias=0.
"""
import re

ACTIVATIONS = ["none", "relu", "gelu", "gelu_tanh", "silu", "tanh"]
CAUSAL = ["none", "lower_right", "upper_left"]
# Kinds of values of knobs, as error messages describe them. A list, such as CAUSAL, contains all valid values.
SIZE, FLAG, NUMBER = "a positive size", "0 or 1", "a number"
BROADCAST = "1 or the dimensions that are not broadcast, such as b11k or qk"
MOST = 1 << 31  # the maximum of a size
KNOBS = {
    "attention": {"b": SIZE, "hq": SIZE, "hkv": SIZE, "s": SIZE, "sq": SIZE, "skv": SIZE, "d": SIZE, "dv": SIZE,
                  "scale": NUMBER, "causal": CAUSAL, "bias": BROADCAST, "mask": BROADCAST},
    "linear": {"m": SIZE, "n": SIZE, "k": SIZE, "activation": ACTIVATIONS, "bias": FLAG},
    "layer_norm": {"rows": SIZE, "d": SIZE},
    "softmax": {"rows": SIZE, "d": SIZE},
    "minilm": {"b": SIZE, "s": SIZE},
}
# Synonyms of knobs by operation, the values of knobs that are not given, and the knobs that must have a value.
OTHER_NAMES = {("attention", "h"): "hq", ("linear", "rows"): "m", ("layer_norm", "m"): "rows", ("softmax", "m"): "rows"}
DEFAULTS = {"attention": {"b": 1, "hq": 1}, "minilm": {"b": 1}}
NEEDED = {"attention": ["sq", "skv", "d"], "linear": ["m", "n", "k"], "layer_norm": ["rows", "d"],
          "softmax": ["rows", "d"], "minilm": ["s"]}


def is_operation(text):
    """Whether an argument of --rows is a quoted operation, valid or not, rather than a regular expression for titles of
    rows (rows.py). All words of an operation but the first are of the form knob=value, with the knob in lower case."""
    words = text.split()
    return len(words) > 1 and words[0] in KNOBS and all(re.match(r"[a-z_]+=", word) for word in words[1:])


def read(kind, name, text):
    """Returns the value of the knob `name` of an operation of this kind; raises ValueError if the text is not valid."""
    expected = KNOBS[kind][name]
    if expected is SIZE and re.fullmatch(r"0*[1-9][0-9]*", text):
        if int(text) > MOST:
            raise ValueError(f"{kind}: {name}: expected at most {MOST}, found '{text}'")
        return int(text)
    if expected is FLAG and text in ("0", "1"):
        return int(text)
    if expected is NUMBER and re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text):
        return float(text)
    if expected is BROADCAST and re.fullmatch(r"1|(((b|1)?(h|1))?(q|1))?(k|1)", text):
        return text
    if isinstance(expected, list) and text in expected:
        return text
    expected = ", ".join(expected) if isinstance(expected, list) else expected
    raise ValueError(f"{kind}: {name}: expected {expected}, found '{text}'")


def parse(text):
    """Returns the kind of operation and its knobs, including the defaults of sizes that are not given. Raises
    ValueError with the reason if the text is not valid."""
    kind, *words = text.split()
    given = {}
    for word in words:
        name, value = word.split("=", 1)
        name = OTHER_NAMES.get((kind, name), name)
        if name not in KNOBS[kind]:
            raise ValueError(f"{kind}: only the knobs {', '.join(KNOBS[kind])} can be compared, found '{name}'")
        if name in given:
            raise ValueError(f"{kind}: {name} is given twice")
        given[name] = read(kind, name, value)
    knobs = DEFAULTS.get(kind, {}) | given
    if kind == "attention":
        both = knobs.pop("s", None)
        knobs.setdefault("sq", both)
        knobs.setdefault("skv", both or knobs["sq"])
        knobs.setdefault("hkv", knobs["hq"])
        if knobs["hq"] % knobs["hkv"]:
            raise ValueError(f"attention: hq={knobs['hq']} is not a multiple of hkv={knobs['hkv']}")
    missing = [name for name in NEEDED[kind] if not knobs.get(name)]
    if missing:
        raise ValueError(f"{kind}: expected a size, for example {missing[0]}=16")
    if kind == "minilm" and knobs["s"] > 512:
        raise ValueError("minilm: the model has positions for at most 512 tokens")
    return kind, knobs
