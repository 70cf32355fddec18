"""Tests heddle.compile: the conversion of its arguments to options of the compiler, the path of the library, and error
messages of the compiler."""
import os
import unittest.mock

import numpy as np

import heddle
import support
from heddle import _compile, _compiler
from support import rows, softmax_of


def no_compiler():
    """Returns a context manager for an environment in which the compiler is not found."""
    return unittest.mock.patch.dict(os.environ, {"HEDDLE": "", "PATH": "/nonexistent"})


class Compile(support.Folder):
    def test_sizes(self):
        sizes = {"a": 3, "b": range(1, 9), "c": (0, 4), "d": "1..7", "e": np.int64(4), "f": "5", "g": "1,2..8"}
        dims = _compile.arguments(sizes, None, None, None, None, None, None, None)
        self.assertEqual(dims, ["--dim=a=3", "--dim=b=1..8", "--dim=c=0..4", "--dim=d=1..7", "--dim=e=4", "--dim=f=5", "--dim=g=1,2..8"])
        for wrong in (range(1, 9, 2), range(5, 5), (1, 2, 3), (2, 1), (1, "x"), (1, True), True, None, 1.5, -1, "x",
                      "1..", "9" * 5000, [[1], 2], {}):
            with self.check(heddle.ArgumentError, "dims: 'a' is .*, expected a number, a range of step 1 that is not empty"):
                heddle.compile("softmax rows=1 d=8", dims={"a": wrong})
        for wrong, pattern in ((5, "dims: expected sizes by name, .* found int"), ([("a", 1)], "found list"),
                               ({5: 1}, "dims: expected text, found int"), ({"a\0": 1}, "dims: a NUL character is in")):
            with self.check(heddle.ArgumentError, pattern):
                heddle.compile("softmax rows=1 d=8", dims=wrong)

    def test_options(self):
        options = _compile.arguments(None, ["x86-64-v4", "x86-64-v3"], "vulkan:1", "bf16-weights", "skip", ["a", "b"],
                                     {"softmax": "mine.mlir:block=2"}, "model")
        self.assertEqual(options, ["--strategy=softmax=mine.mlir:block=2", "--only=a", "--only=b", "--device=vulkan",
                                   "--precision=bf16-weights", "--padding=skip", "--name=model", "--mcpu=x86-64-v4,x86-64-v3"])
        for option in ("cpus", "device", "precision", "padding", "outputs", "strategies", "name"):
            several = option in ("cpus", "outputs", "strategies")
            for wrong in (5, b"bytes", [None], "a\0b", "\ud800", *([[""], ["a", ""]] if several else [["text"]])):
                with self.check(heddle.ArgumentError, "expected text|NUL|half of a surrogate pair|is empty"):
                    heddle.compile("softmax rows=1 d=8", **{option: wrong})
            with self.check(heddle.CompileError, "."):  # A value must not be read as an option.
                heddle.compile("softmax rows=1 d=8", **{option: "--help"})

    def test_precision(self):
        given = _compile.arguments(None, None, None, "int8", None, None, None, None, "x.safetensors", np.float32(0.5))
        self.assertEqual(given, ["--precision=int8", "--calibrate=x.safetensors", "--least-cosine=0.5"])
        layer = "linear m=3 n=5 k=16 weights=constant"
        for wrong in (0, -0.5, 1.5, float("nan"), float("inf"), True, "0.9", b"1", [], None.__class__):
            with self.check(heddle.ArgumentError, "least_cosine: expected a number"):
                heddle.compile(layer, precision="int8", least_cosine=wrong)
        for wrong in (5, ["x"], "a\0b"):
            with self.check(heddle.ArgumentError, "calibrate: (expected a path|a NUL)"):
                heddle.compile(layer, precision="int8", calibrate=wrong)
        for option in ({"least_cosine": 0.9}, {"calibrate": "x"}):
            with self.check(heddle.ArgumentError, "requires the argument precision"):
                heddle.compile(layer, **option)
        with self.check(heddle.CompileError, "absent"):
            heddle.compile(layer, precision="int8", calibrate="absent.safetensors")
        with self.check(heddle.CompileError, "needs a precision that rounds"):
            heddle.compile(layer, precision="bf16-weights", least_cosine=0.9)
        with self.check(heddle.CompileError, "the precisions are f32, bf16, int8, int8-block, "):
            heddle.compile(layer, precision="int9")
        x = np.linspace(-1, 1, 48, dtype=np.float32).reshape(3, 16)
        exact, rough = heddle.compile(layer)(x)[0], heddle.compile(layer, precision="int8", least_cosine=0.9)(x)[0]
        self.assertGreater(np.abs(exact - rough).max(), 0)
        self.assertLess(np.abs(exact - rough).max(), 0.05 * np.abs(exact).max())
        np.testing.assert_array_equal(heddle.compile(layer, precision="int8", least_cosine=1)(x)[0], exact)

    def test_values_that_are_no_models(self):
        for wrong in (None, 5, b"softmax rows=1 d=8", ["softmax"], object()):
            with self.check(heddle.ArgumentError, "model: expected a path, a quoted operation as text or a torch.nn.Module"):
                heddle.compile(wrong)
        for wrong in ("softmax\0", "softmax \ud800"):
            with self.check(heddle.ArgumentError, "model: .*(NUL|half of a surrogate pair)"):
                heddle.compile(wrong)
        for wrong in ("", " ", "-", "--help", "--version", "x" * 300, "softmax " + "rows=1 " * 1000, "x" * 10_000_000):
            with self.check(heddle.CompileError, "."):
                heddle.compile(wrong)

    def test_inputs_that_have_initializers(self):
        path = support.ROOT / "tests/data/onnx/given-weights/model.onnx"  # x w + b
        x, w, b = rows(2, 4), rows(4, 3), np.array([1, 2, 3], np.float32)
        model = heddle.compile(path, dims={"rows": 2}, as_inputs="w")
        np.testing.assert_allclose(model(x=x, w=w).y, x @ w + b, rtol=1e-5, atol=1e-5)
        with self.check(heddle.ArgumentError, "no input is called 'b'; there are x, w"):
            model.run({"x": x, "w": w, "b": b})
        with self.check(heddle.ArgumentError, "w"):
            model(x=x)
        with self.check(heddle.CompileError, "--as-input v: no input of the model has this name"):
            heddle.compile(path, dims={"rows": 2}, as_inputs=["w", "v"])

    def test_a_single_output(self):
        model = support.encoder(outputs="sentence_embedding")
        self.assertEqual([tensor.name for tensor in model.outputs], ["sentence_embedding"])

    def test_into_a_file(self):
        path = self.folder / "soft max.so"
        with heddle.compile("softmax rows=3 d=39", output=path, name="smooth") as model:
            self.assertEqual((model.path, model.name), (os.path.realpath(path), "smooth"))
            self.assertTrue(path.with_suffix(".h").exists())
            x = rows(3)
            np.testing.assert_allclose(model(x).out, softmax_of(x), rtol=1e-5)
        with self.check(heddle.ArgumentError, "output: expected the name of a library, which ends with .so, found 'a.o'"):
            heddle.compile("softmax rows=3 d=39", output="a.o")
        with self.check(heddle.ArgumentError, "weights: requires the argument output, the path of the library"):
            heddle.compile("softmax rows=3 d=39", weights="a.weights")

    def test_messages_of_the_compiler(self):
        patch = unittest.mock.patch.dict(os.environ, {"HEDDLE_CACHE_DIR": str(self.folder / "cache")})
        patch.start()
        self.addCleanup(patch.stop)
        with self.check(heddle.CompileError, "softmax") as caught:
            heddle.compile("softmax rows=3 d=39 colour=red")
        self.assertIn("colour", caught.exception.text)
        with self.check(heddle.CompileError, "batch_size"):
            heddle.compile(support.TINY_BERT)
        with self.check(heddle.CompileError, "absent"):
            heddle.compile(self.folder / "absent.onnx")
        with self.check(heddle.CompileError, "i486|x86-64"):
            heddle.compile("softmax rows=3 d=39", cpus="sparc")
        self.assertEqual([entry.name for entry in (self.folder / "cache").iterdir() if entry.is_dir()], [])

    def test_without_a_compiler(self):
        with no_compiler(), self.check(heddle.CompileError, "the compiler was not found: install the Python package"):
            heddle.compile("softmax rows=3 d=39")
        with unittest.mock.patch.dict(os.environ, {"HEDDLE": str(self.folder / "none")}):
            with self.check(heddle.CompileError, "which is not an executable program"):
                heddle.compile("softmax rows=3 d=39")
        # HEDDLE is set to a program that is not the compiler, and then to a compiler that is killed.
        false = self.folder / "false"
        false.write_text("#!/bin/sh\necho something else 1.0\n")
        false.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"HEDDLE": str(false)}):
            with self.check(heddle.CompileError, "is not Heddle's compiler"):
                heddle.compile("softmax rows=3 d=39")
        killed = self.folder / "killed"
        killed.write_text('#!/bin/sh\n[ "$1" = --version ] && echo heddle 1 || kill -9 $$\n')
        killed.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"HEDDLE": str(killed), "HEDDLE_CACHE_DIR": str(self.folder)}):
            with self.check(heddle.CompileError, "ended by signal 9"):
                heddle.compile("softmax rows=3 d=39")


support.main()
