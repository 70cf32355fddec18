"""Code shared by the tests of the Python packages. Each test is a program whose last statement is support.main()."""
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

import numpy as np

import heddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY_BERT = ROOT / "examples" / "data" / "tiny-bert"
try:
    import tokenizers
except ImportError:
    tokenizers = None
try:
    import jinja2
except ImportError:
    jinja2 = None
needs_jinja = unittest.skipUnless(jinja2, "the package jinja2 is missing: PyPI did not answer")
needs_tokenizers = unittest.skipUnless(tokenizers, "the package tokenizers is missing: PyPI did not answer")
# `rows` draws its elements from this generator.
RANDOM = np.random.default_rng(1)


def softmax():
    """Compiles a model with one input and one output of 1 to 64 rows each."""
    return heddle.compile("softmax rows=1..64 d=39")


def softmax_of(x):
    """Returns the softmax of x along the last dimension, computed by numpy in the type of x."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def encoder(**options):
    """Compiles the small BERT, for up to 8 sentences of up to 32 tokens."""
    return heddle.compile(TINY_BERT, dims={"batch_size": range(1, 9), "sequence_length": range(1, 33)}, **options)


def rows(count, width=39):
    """Returns random f32 rows; 39 is the width of the model `softmax`."""
    return RANDOM.standard_normal((count, width)).astype(np.float32)


class Folder(unittest.TestCase):
    """A test case that has a temporary folder of its own, `self.folder`."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle python "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def check(self, kind, pattern):
        """Returns a context that expects an exception of this kind whose message matches the pattern."""
        return self.assertRaisesRegex(kind, pattern)


def write_safetensors(path, tensors):
    """Writes a file with these arrays, a dictionary from names to arrays of f32 or i64."""
    import json
    names = {np.dtype("float32"): "F32", np.dtype("int64"): "I64"}
    header, data = {}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += np.ascontiguousarray(array).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """Returns the arrays of a file by name."""
    import json
    content = path.read_bytes()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    return {name: np.frombuffer(content[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]],
                                {"F32": np.float32, "F64": np.float64, "I64": np.int64}[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in json.loads(content[8:begin]).items() if name != "__metadata__"}


def main():
    """Runs the tests of the program. Exits with status 1 if one fails or there is none, and 77 if all are skipped."""
    program = unittest.main(module="__main__", exit=False, verbosity=1)
    result = program.result
    if not result.wasSuccessful() or not result.testsRun:
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
