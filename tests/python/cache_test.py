"""Tests the cache of compiled libraries: the keys with which libraries are found, damaged and invalid entries, folders
that cannot be written, and several processes that compile the same model at once."""
import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest.mock

import heddle
import support
from heddle import _cache, _fingerprint


class Cache(support.Folder):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        patch = unittest.mock.patch.dict(os.environ, {"HEDDLE_CACHE_DIR": str(self.cache)})
        patch.start()
        self.addCleanup(patch.stop)

    def entries(self):
        """Returns the folders in the cache, one for each library."""
        return sorted(entry for entry in self.cache.iterdir() if entry.is_dir())

    def test_folders(self):
        self.assertEqual(_cache.folder(), self.cache)
        for variables, expected in (({"XDG_CACHE_HOME": "/x", "HEDDLE_CACHE_DIR": ""}, "/x/heddle"),
                                    ({"XDG_CACHE_HOME": "relative", "HEDDLE_CACHE_DIR": "", "HOME": "/h"}, "/h/.cache/heddle"),
                                    ({"XDG_CACHE_HOME": "", "HEDDLE_CACHE_DIR": "", "HOME": "/h"}, "/h/.cache/heddle")):
            with unittest.mock.patch.dict(os.environ, variables):
                self.assertEqual(_cache.folder(), pathlib.Path(expected))

    def test_equal_calls_compile_once(self):
        first = heddle.compile("softmax rows=2 d=8")
        with unittest.mock.patch("heddle._compiler.run", side_effect=AssertionError("compiled again")):
            self.assertEqual(heddle.compile("softmax rows=2 d=8").path, first.path)
        self.assertEqual(len(self.entries()), 1)
        facts = json.loads((self.entries()[0] / "entry.json").read_text())
        self.assertEqual(facts["model"], "softmax rows=2 d=8")
        self.assertEqual(set(facts["files"]), {"model.h", "model.so"})
        heddle.compile("softmax rows=2 d=8", name="other")
        heddle.compile("softmax rows=3 d=8")
        self.assertEqual(len(self.entries()), 3)

    def test_damaged_entries_are_compiled_again(self):
        path = pathlib.Path(heddle.compile("softmax rows=2 d=8").path)
        for damage in (lambda: path.write_bytes(path.read_bytes()[:100]), path.unlink,
                       (path.parent / "entry.json").unlink, lambda: (path.parent / "entry.json").write_text("{")):
            damage()
            with heddle.compile("softmax rows=2 d=8") as model:
                self.assertEqual(model.path, str(path))

    def test_changed_libraries_are_compiled_again(self):
        path = pathlib.Path(heddle.compile("softmax rows=2 d=8").path)
        content = path.read_bytes()
        for begin, end in ((0, len(content)), (0, 1), (64, 128), (len(content) // 2, len(content) // 2 + 1)):
            altered = content[:begin] + bytes(255 - byte for byte in content[begin:end]) + content[end:]
            path.write_bytes(altered)
            with heddle.compile("softmax rows=2 d=8") as model:
                self.assertEqual((model.path, path.read_bytes()), (str(path), content))

    def test_a_full_disk(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        for name in ("tempfile.mkdtemp", "pathlib.Path.write_text", "pathlib.Path.rename"):
            with unittest.mock.patch(name, side_effect=full):
                with self.check(heddle.CompileError, "cannot be written: No space left on device; set the environment "
                                                     "variable HEDDLE_CACHE_DIR to another folder"):
                    heddle.compile("softmax rows=2 d=8")
            self.assertEqual(self.entries(), [])
        heddle.compile("softmax rows=2 d=8")

    def test_invalid_entry_json(self):
        path = pathlib.Path(heddle.compile("softmax rows=2 d=8").path)
        facts = path.parent / "entry.json"
        for wrong in ("[]", "5", "null", '{"files": 5}', '{"files": {"model.so": "x"}}', "\udc80"):
            facts.write_bytes(wrong.encode("utf-8", "surrogateescape"))
            heddle.compile("softmax rows=2 d=8").close()
            self.assertIn("sha256", json.loads(facts.read_text()))

    def test_processes_at_the_same_time(self):
        program = ("import heddle, sys\nwith heddle.compile('softmax rows=1..4 d=8') as model:\n"
                   "    print(model.path, model([[0.0] * 8]).out[0, 0])")
        processes = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(4)]
        said = {process.communicate()[0] for process in processes}
        self.assertEqual([process.returncode for process in processes], [0] * 4)
        self.assertEqual(len(said), 1)
        self.assertIn("0.125", said.pop())
        self.assertEqual(len(self.entries()), 1)

    def test_no_home(self):
        with unittest.mock.patch.dict(os.environ, {"HEDDLE_CACHE_DIR": "", "XDG_CACHE_HOME": ""}), \
                unittest.mock.patch("pathlib.Path.home", side_effect=RuntimeError("Could not determine home directory.")):
            with self.check(heddle.CompileError, "the home folder is unknown; .* HEDDLE_CACHE_DIR to a folder"):
                heddle.compile("softmax rows=2 d=8")

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        with unittest.mock.patch.dict(os.environ, {"HEDDLE_CACHE_DIR": str(self.folder / "file" / "cache")}):
            with self.check(heddle.CompileError, "cannot be written: Not a directory; set the environment variable "
                                                 "HEDDLE_CACHE_DIR to another folder"):
                heddle.compile("softmax rows=2 d=8")


class Fingerprints(support.Folder):
    def key(self, model):
        """Returns a hash of the contents of a model's files on which its compiled library depends. With the options, it
        determines the key in the cache."""
        return _fingerprint.fingerprint([], _fingerprint.model_files(str(model)))

    def test_files_of_a_directory(self):
        model = self.folder / "bert"
        shutil.copytree(support.TINY_BERT, model)
        # Files that do not change the compiled library, such as tokenizer_config.json, must not change the key. The
        # special tokens of tokenizer.json may change which layers `least_cosine` leaves in f32.
        names = {str(file.relative_to(model)) for file in _fingerprint.model_files(str(model))}
        self.assertLessEqual({"config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"}, names)
        before = self.key(model)
        (model / "tokenizer_config.json").write_text("{}")
        (model / "README.md").write_text("new")
        self.assertEqual(self.key(model), before)
        (model / "tokenizer.json").write_text("{}\n")
        self.assertNotEqual(self.key(model), before)
        before = self.key(model)
        for name in ("config.json", "model.safetensors", "tokenizer.json", "1_Pooling/config.json"):
            content = (model / name).read_bytes()
            (model / name).write_bytes(content[:-1] + b" ")
            self.assertNotEqual(self.key(model), before, name)
            (model / name).write_bytes(content)
        self.assertEqual(self.key(model), before)

    def test_external_data_of_onnx(self):
        def entry(name):
            """Returns the bytes of an ONNX file that refer to a file with external data."""
            return b"\x0a\x08location\x12" + bytes([len(name)]) + name.encode()

        model, data = self.folder / "model.onnx", self.folder / "model.data"
        model.write_bytes(b"\x08\x07" + entry("model.data") + entry("absent.data") + b"rest")
        data.write_bytes(b"one")
        self.assertEqual([file.name for file in _fingerprint.model_files(str(model))],
                         ["model.onnx", "absent.data", "model.data"])
        before = self.key(model)
        data.write_bytes(b"two")
        self.assertNotEqual(self.key(model), before)

    def test_weights_of_mlir(self):
        model = self.folder / "model.mlir"
        model.write_text('module attributes {heddle.weight_files = ["a.safetensors", "/b/c.safetensors"]} {}')
        self.assertEqual([str(file) for file in _fingerprint.model_files(str(model))],
                         [str(model), str(self.folder / "a.safetensors"), "/b/c.safetensors"])

    def test_shards_of_gguf(self):
        first, second = self.folder / "m-00001-of-00002.gguf", self.folder / "m-00002-of-00002.gguf"
        for name in ("m-00002-of-00003.gguf", "other-00002-of-00002.gguf", "m.gguf"):
            (self.folder / name).write_text("")
        first.write_text("one")
        second.write_text("two")
        self.assertEqual(list(_fingerprint.model_files(str(first))), [first, second])
        self.assertEqual(list(_fingerprint.model_files(str(self.folder / "m.gguf"))), [self.folder / "m.gguf"])
        before = self.key(first)
        second.write_text("three")
        self.assertNotEqual(self.key(first), before)

    def test_strategies(self):
        mine = self.folder / "mine.mlir"
        mine.write_text("one")
        self.assertEqual(list(_fingerprint.strategy_files([f"softmax={mine}:block=2", f"softmax={mine}", "softmax=named"])),
                         [mine, mine])

    # The hash must cover the boundaries between texts, not only their concatenation.
    def test_texts_do_not_run_together(self):
        self.assertNotEqual(_fingerprint.fingerprint(["ab", "c"], []), _fingerprint.fingerprint(["a", "bc"], []))


support.main()
