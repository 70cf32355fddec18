"""Tests heddle.load with files that are truncated, replaced or not libraries, closed models, and weights in a file of
their own."""
import os
import pathlib
import pickle
import shutil

import numpy as np

import heddle
import support
from support import rows, softmax_of


class Libraries(support.Folder):
    def copied(self, name="copy.so"):
        """Returns the path of a copy of a library that computes softmax."""
        with support.softmax() as model:
            return pathlib.Path(shutil.copy(model.path, self.folder / name))

    def test_truncated_files(self):
        path = self.copied()
        content = path.read_bytes()
        for length in [*range(0, 200), *range(200, len(content), 97), *range(len(content) - 100, len(content))]:
            path.write_bytes(content[:length])
            with self.check(heddle.LoadError, "copy.so"):
                heddle.load(path)
        path.write_bytes(content)
        heddle.load(path).close()

    def test_files_that_are_no_libraries(self):
        other = self.folder / "other.so"
        other.write_text("no library at all, but long enough for a header of one, which has 64 bytes")
        with self.check(heddle.LoadError, "not a shared library"):
            heddle.load(other)
        with self.check(heddle.LoadError, "No such file or directory"):
            heddle.load(self.folder / "absent.so")
        with self.check(heddle.LoadError, "heddle python"):
            heddle.load(self.folder)
        with self.check(heddle.LoadError, "it has no function heddle_query"):
            heddle.load(heddle._native.path())
        with self.check(heddle.LoadError, "not a regular file"):
            heddle.load("/dev/zero")
        for wrong, pattern in ((None, "path: expected a path, found NoneType"), (5, "found int"), (["a"], "found list"),
                               ("a\0.so", "path: a NUL character"), ("\ud800.so", "path: .* half of a surrogate pair")):
            with self.check(heddle.ArgumentError, pattern):
                heddle.load(wrong)
        for option in ("variant", "device", "weights"):
            for wrong in (5, ["a"], "a\0"):
                with self.check(heddle.ArgumentError, option):
                    heddle.load(self.copied(), **{option: wrong})
        with self.check(heddle.LoadError, "File name too long|path is too long"):
            heddle.load("x" * 5000 + ".so")

    def test_a_name_without_a_slash(self):
        self.copied("here.so")
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        with heddle.load("here.so") as model:
            self.assertEqual(model(rows(2)).out.shape, (2, 39))

    def test_a_file_that_was_replaced(self):
        path = self.copied()
        first = heddle.load(path)
        heddle.load(path).close()  # This model shares the loaded library with `first`.
        again = self.folder / "again.so"
        shutil.copy(path, again)
        os.replace(again, path)
        with self.check(heddle.LoadError, "was loaded before and has changed since"):
            heddle.load(path)
        first.close()
        heddle.load(path).close()

    def test_a_closed_model(self):
        model = heddle.load(self.copied())
        self.assertFalse(model.closed)
        result = model(rows(2)).out.copy()
        model.close()
        model.close()
        self.assertTrue(model.closed)
        with self.check(heddle.ClosedError, "copy.so: the model was closed"):
            model(rows(2))
        with self.assertRaises(heddle.ClosedError):
            model.variant
        self.assertEqual(model.inputs[0].name, "input")  # The description of a closed model remains available.
        self.assertEqual(result.shape, (2, 39))

    def test_a_deleted_model_is_freed(self):
        path = self.copied()
        model = heddle.load(path)
        self.assertIn(str(path), heddle._library._loaded)
        del model
        self.assertNotIn(str(path), heddle._library._loaded)

    def test_models_are_pickled_for_other_processes(self):
        model = support.softmax()
        x = rows(3)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model))(x).out, model(x).out)
        outputs = pickle.loads(pickle.dumps(model(x)))
        np.testing.assert_array_equal(outputs.out, model(x).out)

    def test_variants(self):
        model = support.softmax()
        with heddle.load(model.path, variant=model.variants[0]) as same:
            np.testing.assert_allclose(same(rows(2)).out.sum(axis=1), 1, rtol=1e-5)
        with self.check(heddle.LoadError, "model.so"):
            heddle.load(model.path, variant="i486")

    def test_devices(self):
        path = self.copied()
        heddle.load(path, device="cpu").close()
        with self.check(heddle.LoadError, "its code is for a CPU, found device 'vulkan'"):
            heddle.load(path, device="vulkan")

    def test_threads_out_of_range(self):
        path = self.copied()
        for threads in (0, -1, 1025, 1.5, "2", True):
            with self.check(heddle.ArgumentError, "threads: expected a number from 1 to 1024"):
                heddle.load(path, threads=threads)

    def test_weights_in_a_file(self):
        library, weights = self.folder / "bert.so", self.folder / "bert.weights"
        model = support.encoder(output=library, weights=weights)
        ids = np.array([[1, 3, 4, 5, 2]])
        expected = support.encoder()(ids).sentence_embedding
        np.testing.assert_allclose(model(ids).sentence_embedding, expected, rtol=1e-5, atol=1e-6)
        model.close()
        with self.check(heddle.LoadError, "weights"):
            heddle.load(library)
        with self.check(heddle.LoadError, "absent"):
            heddle.load(library, weights=self.folder / "absent")
        content = weights.read_bytes()
        for wrong in (b"", content[:-1], content[:100], content[:-1] + b"\x55", content + b"\0" * 8):
            weights.write_bytes(wrong)
            with self.check(heddle.LoadError, "weights"):
                heddle.load(library, weights=weights)
        weights.write_bytes(content)
        with heddle.load(library, weights=weights) as again:
            np.testing.assert_allclose(again(ids).sentence_embedding, expected, rtol=1e-5, atol=1e-6)

    def test_names_that_are_not_ascii(self):
        folder = self.folder / "dossier été"
        folder.mkdir()
        with heddle.load(self.copied("dossier été/modèle.so")) as model:
            x = rows(2)
            np.testing.assert_allclose(model(x).out, softmax_of(x), rtol=1e-5)


support.main()
