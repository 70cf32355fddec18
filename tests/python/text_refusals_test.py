"""Tests arguments that SentenceEncoder and CrossEncoder reject: values that are not texts, wrong options, and
directories with wrong files."""
import json

import numpy as np

import heddle
import support
import text_models
from support import needs_tokenizers

HALF = "\udc80"  # half of a surrogate pair: not a character, and without an encoding in UTF-8


@needs_tokenizers
class Refusals(support.Folder):
    def setUp(self):
        super().setUp()
        self.directory = text_models.sentence_encoder(self.folder)

    def encoder(self, **options):
        made = heddle.SentenceEncoder(self.directory, threads=2, **options)
        self.addCleanup(made.close)
        return made

    def test_values_that_are_no_texts(self):
        encode = self.encoder().encode
        for wrong, pattern in ((None, "sentences: expected text or a list of texts, found NoneType"), (5, "found int"),
                               (np.array("sun"), "found ndarray"), ({"a": "b"}, "found dict"), (b"sun", "found bytes"),
                               (["sun", None], r"sentences\[1\]: expected text, found NoneType"),
                               ([b"sun"], r"sentences\[0\]: expected text, found bytes"),
                               (np.array([["a", "b"]]), r"sentences\[0\]: expected text, found ndarray"),
                               (np.array([1.5]), r"sentences\[0\]: expected text, found float64"),
                               ([["a", "b"]], r"sentences\[0\]: expected text, found list"),
                               ((x for x in ["sun", 1]), r"sentences\[1\]: expected text, found int"),
                               (["sun", "ca" + HALF],
                                r"sentences\[1\]: character 2, '.udc80', is half of a surrogate pair"),
                               (HALF, r"sentences\[0\]: character 0")):
            with self.check(heddle.ArgumentError, pattern):
                encode(wrong)

    def test_errors_of_a_generator_of_texts(self):
        def texts():
            yield "sun"
            raise TypeError("mine")

        with self.check(TypeError, "mine"):
            self.encoder().encode(texts())

    def test_options(self):
        encoder = self.encoder(prompts={"query": "query: ", "wrong": 5})
        for options, pattern in (({"batch_size": 0}, "batch_size: expected a positive number, found 0"),
                                 ({"batch_size": "8"}, "batch_size: expected a positive number, found '8'"),
                                 ({"batch_size": None}, "batch_size"), ({"batch_size": 2.0}, "batch_size"),
                                 ({"output_value": "token_embeddings"}, "output_value: expected 'sentence_embedding'"),
                                 ({"device": "cuda"}, "device: the model was compiled for cpu, found 'cuda'"),
                                 ({"precision": "float16"}, "precision: expected one of float32"),
                                 ({"precision": ["int8"]}, "precision: expected one of float32"),
                                 ({"precision": "int8", "ranges": [1, 2]}, r"ranges: expected \[2, 64\].*found \[1, 2\]"),
                                 ({"precision": "int8", "ranges": "x"}, "cannot be converted to an array"),
                                 ({"truncate_dim": "8"}, "truncate_dim"), ({"truncate_dim": 1.5}, "truncate_dim"),
                                 ({"prompt": 5}, "prompt: expected text, found int"),
                                 ({"prompt": HALF}, "prompt: character 0"),
                                 ({"prompt_name": ["query"]}, "prompt_name: expected the name of a prompt .query, wrong., found"),
                                 ({"prompt_name": "wrong"}, "prompts: 'wrong': expected text, found int")):
            with self.subTest(options), self.check(heddle.ArgumentError, pattern):
                encoder.encode("a", **options)
        encoder.default_prompt_name = "other"
        with self.check(heddle.ArgumentError, "default_prompt_name: expected the name of a prompt .query, wrong., found 'other'"):
            encoder.encode("a")

    def test_options_of_the_constructor(self):
        for options, pattern in (({"max_seq_length": 0}, "max_seq_length"), ({"max_seq_length": "8"}, "max_seq_length"),
                                 ({"max_seq_length": 1.5}, "max_seq_length"), ({"threads": "2"}, "threads"),
                                 ({"prompts": ["query: "]}, "prompts: expected a mapping from names to texts, found list"),
                                 ({"similarity_fn_name": 5}, "similarity_fn_name: expected one of cosine"),
                                 ({"library": 5}, "path: expected a path, found int")):
            with self.subTest(options), self.check(heddle.ArgumentError, pattern):
                heddle.SentenceEncoder(self.directory, **options)

    # A sentence has two special tokens. Lengths without room for other tokens may be refused, but must not crash.
    def test_lengths_without_room_for_a_word(self):
        encoder = self.encoder()
        for length in (1, 2):
            encoder.max_seq_length = length
            try:
                self.assertEqual(encoder.encode("the cat").shape, (64,))
            except heddle.ArgumentError as reason:
                self.assertIn("max_seq_length", str(reason))

    def test_an_encoder_that_was_closed(self):
        encoder = self.encoder()
        encoder.close()
        encoder.close()
        with self.check(heddle.ClosedError, "the model was closed"):
            encoder.encode("the cat")
        with self.check(heddle.ClosedError, "the model was closed"):
            encoder.encode(text_models.random_sentences(300, 20, 1), batch_size=4)

    def test_similarity(self):
        encoder = self.encoder()
        for a, b, pattern in (([1.0, 2], [1.0, 2, 3], r"the shapes \[1, 2\] and \[1, 3\] are incompatible"),
                              (None, [1.0], "embeddings: "),
                              ("text", [1.0], "str cannot be converted to an array"),
                              ([[[1.0]]], [1.0], r"found \[1, 1, 1\] in list")):
            with self.check(heddle.ArgumentError, pattern):
                encoder.similarity(a, b)
        with self.check(heddle.ArgumentError, r"\[2, 1\] and \[3, 1\] are incompatible"):
            encoder.similarity_pairwise(np.ones((2, 1)), np.ones((3, 1)))

    def test_paths_that_are_no_model_directories(self):
        for wrong, pattern in ((self.folder, "expected the directory of a model, found no config.json in it"),
                               ("absent", "found no config.json"), (None, "directory: expected a path, found NoneType"),
                               (5, "found int"), ("a\0", "NUL")):
            with self.check(heddle.ArgumentError, pattern):
                heddle.SentenceEncoder(wrong)

    def test_files_with_wrong_contents(self):
        for name, content, pattern in (
                ("config.json", "[]", "config.json: expected an object, found "),
                ("config.json", '{"max_position_embeddings": "many"}', "max_position_embeddings: expected a whole number"),
                ("config.json", '{"pad_token_id": [0]}', "pad_token_id: expected a whole number"),
                ("modules.json", "{", "modules.json"), ("modules.json", "{}", "modules.json: expected a list"),
                ("modules.json", "[5]", "modules.json: in its list: expected an object, found 5"),
                ("modules.json", '[{"type": 5}]', "type: expected text, found 5"),
                ("1_Pooling/config.json", '{"include_prompt": 1}', "include_prompt: expected true or false, found 1"),
                ("sentence_bert_config.json", '{"max_seq_length": true}', "max_seq_length: expected a whole number"),
                ("config_sentence_transformers.json", '{"prompts": 5}', "prompts: expected an object, found 5"),
                ("config_sentence_transformers.json", '{"truncate_dim": "8"}', "truncate_dim: expected a whole number"),
                ("config_sentence_transformers.json", "[" * 100_000, "config_sentence_transformers.json"),
                ("tokenizer.json", "{}", "tokenizer.json"), ("tokenizer.json", None, "tokenizer.json"),
                ("tokenizer_config.json", b"\xff", "tokenizer_config.json"),
                ("tokenizer_config.json", json.dumps({"model_max_length": "x"}),
                 "model_max_length: expected a whole number or a number")):
            file = self.directory / name
            before = file.read_bytes() if file.exists() else None
            if content is None:
                file.unlink()
            else:
                file.write_bytes(content if isinstance(content, bytes) else content.encode())
            if name == "tokenizer_config.json":
                lengths = self.directory / "sentence_bert_config.json"
                lengths.write_text("{}")
            with self.subTest(name=name, content=str(content)[:60]), self.check(heddle.ArgumentError, pattern):
                heddle.SentenceEncoder(self.directory)
            file.write_bytes(before) if before is not None else file.unlink()


@needs_tokenizers
class Pairs(support.Folder):
    def setUp(self):
        super().setUp()
        self.encoder = heddle.CrossEncoder(text_models.cross_encoder(self.folder, 1), max_length=20, threads=2)
        self.addCleanup(self.encoder.close)

    def test_values_that_are_no_pairs(self):
        for wrong, pattern in ((None, "expected pairs of texts, found NoneType"), ("text", "found str"), (5, "found int"),
                               ({"a": "b"}, "found dict"), (b"text", "found bytes"),
                               ([("a", "b"), ("c",)], r"sentences\[1\]: expected a pair of texts, found tuple of 1"),
                               ([("a", None)], r"sentences\[0\]\[1\]: expected text, found NoneType"),
                               ([["a", "b", "c"]], r"sentences\[0\]: expected a pair of texts, found list of 3"),
                               (["a", "b", "c"], r"sentences\[0\]: expected a pair of texts, found list of 3"),
                               (("a",), r"found tuple of 1"), (["a", None], r"sentences\[0\]\[1\]"), ([5], r"found int"),
                               ([("a", b"b")], r"found bytes"), ([("a", HALF)], r"sentences\[0\]\[1\]: character 0"),
                               ((x for x in [("a", "b"), 5]), r"sentences\[1\]: expected a pair of texts, found int"),
                               ([{"a", "b"}], "found set")):
            with self.subTest(pattern), self.check(heddle.ArgumentError, pattern):
                self.encoder.predict(wrong)
        self.assertEqual(self.encoder.predict(pair for pair in [("a", "b")] * 3).shape, (3,))

    def test_ranks(self):
        for arguments, pattern in (((None, ["a"]), "query: expected text, found NoneType"),
                                   (("a", "text"), "documents: expected a list of texts, found str"),
                                   (("a", None), "documents: expected a list of texts, found NoneType"),
                                   (("a", ["b", 5]), r"documents\[1\]: expected text, found int"),
                                   (("a", ["b"], 0), "top_k: expected a positive number, found 0"),
                                   (("a", ["b"], -1), "top_k")):
            with self.subTest(pattern), self.check(heddle.ArgumentError, pattern):
                self.encoder.rank(*arguments)
        self.assertEqual(self.encoder.rank("a", []), [])


support.main()
