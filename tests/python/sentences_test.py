"""Tests heddle.SentenceEncoder. Its embeddings are compared with calls of the model for one sentence at a time, and its
options with their definitions."""
import os
import unittest.mock

import numpy as np

import heddle
import support
import text_models
from support import needs_tokenizers

SENTENCES = ["The cat sleeps in the warm sun.", "A man plays guitar on stage", "stock", "", "the " * 100]


@needs_tokenizers
class Sentences(support.Folder):
    def encoder(self, threads=2, prompts=None, **config):
        """Returns a SentenceEncoder with random weights and at most 24 tokens per sentence."""
        folder = text_models.sentence_encoder(self.folder, prompts=prompts or {}, **config)
        made = heddle.SentenceEncoder(folder, threads=threads)
        self.addCleanup(made.close)
        return made

    def alone(self, encoder, sentence, most=24):
        """Looks up the token ids of a sentence and computes its embedding by a call of encoder.model. The sentence is
        cut to `most` tokens."""
        vocabulary = {word: i for i, word in enumerate(text_models.SPECIAL + text_models.WORDS)}
        words = sentence.lower().replace(".", " . ").replace(":", " : ").split()
        ids = [1, *[vocabulary.get(word, 3) for word in words][:most - 2], 2]
        return encoder.model([ids]).sentence_embedding[0]

    def test_embeddings_do_not_depend_on_the_batch(self):
        for threads in (1, 3):
            encoder = self.encoder(threads)
            for sentences in (SENTENCES, text_models.random_sentences(300, 30, 7)):
                expected = np.stack([self.alone(encoder, sentence) for sentence in sentences])
                for batch_size in (1, 7, 32, 1000):
                    result = encoder.encode(sentences, batch_size=batch_size)
                    np.testing.assert_array_equal(result, expected)
                np.testing.assert_allclose(np.linalg.norm(result, axis=1), 1, rtol=1e-5)
            self.tearDownFolder()

    def tearDownFolder(self):
        import shutil
        shutil.rmtree(self.folder / "encoder")

    def test_one_sentence_and_no_sentence(self):
        encoder = self.encoder()
        self.assertEqual(encoder.encode("the cat").shape, (64,))
        self.assertEqual(encoder.encode(["the cat"]).shape, (1, 64))
        for empty in ([], (), np.array([], dtype=str)):
            self.assertEqual(encoder.encode(empty).shape, (0, 64))
        self.assertEqual(encoder.encode(["the cat"] * 3, show_progress_bar=True).shape, (3, 64))
        self.assertEqual(encoder.get_sentence_embedding_dimension(), 64)
        np.testing.assert_array_equal(encoder.encode(np.array(["the cat", "sun"])), encoder.encode(("the cat", "sun")))

    def test_very_long_texts(self):
        encoder = self.encoder()
        word = "guitar "
        for text in (word * 1_500_000, "x" * 1_000_000, "\n" * 1_000_000 + "sun", "sun" + " " * 1_000_000 + "cat"):
            short = {"g": word * 30, "x": "x" * 200, "\n": "sun", "s": "sun cat"}[text[0]]
            np.testing.assert_array_equal(encoder.encode(text), encoder.encode(short))

    def test_unusual_characters(self):
        encoder = self.encoder()
        result = encoder.encode(["\0", "\ud7ff\u200b", "😀" * 50, "a\tb\r\nc", " "])
        self.assertTrue(np.isfinite(result).all())

    def test_prompts(self):
        encoder = self.encoder(prompts={"query": "query: ", "passage": "passage: "})
        plain = encoder.encode("the cat")
        query = encoder.encode("query: the cat")
        np.testing.assert_array_equal(encoder.encode("the cat", prompt_name="query"), query)
        np.testing.assert_array_equal(encoder.encode("the cat", prompt="query: "), query)
        np.testing.assert_array_equal(encoder.encode("the cat", prompt_name="absent", prompt="query: "), query)
        np.testing.assert_array_equal(encoder.encode_query("the cat"), query)
        np.testing.assert_array_equal(encoder.encode_document("the cat"), encoder.encode("passage: the cat"))
        np.testing.assert_array_equal(encoder.encode_query("the cat", prompt=""), plain)
        self.assertFalse(np.array_equal(query, plain))
        with self.check(heddle.ArgumentError, "prompt_name: expected .* prompt .query, passage., found 'other'"):
            encoder.encode("the cat", prompt_name="other")
        encoder.default_prompt_name = "query"
        np.testing.assert_array_equal(encoder.encode(["the cat"])[0], query)

    def test_shorter_embeddings(self):
        encoder = self.encoder(truncate_dim=16)
        full = encoder.encode(SENTENCES, truncate_dim=64)
        np.testing.assert_array_equal(encoder.encode(SENTENCES), full[:, :16])
        self.assertEqual(encoder.get_sentence_embedding_dimension(), 16)
        short = encoder.encode(SENTENCES, truncate_dim=8, normalize_embeddings=True)
        np.testing.assert_allclose(short, full[:, :8] / np.linalg.norm(full[:, :8], axis=1, keepdims=True), rtol=1e-5)
        self.assertEqual(encoder.encode([], truncate_dim=8).shape, (0, 8))
        self.assertEqual(encoder.encode(SENTENCES, precision="ubinary").shape, (5, 2))
        with self.check(heddle.ArgumentError, "truncate_dim"):
            encoder.encode("a", truncate_dim=0)

    def test_lengths(self):
        encoder = self.encoder()
        self.assertEqual(encoder.max_seq_length, 24)
        np.testing.assert_array_equal(encoder.encode("the " * 22), encoder.encode("the " * 23))
        encoder.max_seq_length = 5
        np.testing.assert_array_equal(encoder.encode("the cat sleeps in the sun"), encoder.encode("the cat sleeps"))
        for wrong in (0, 25):
            with self.check(heddle.ArgumentError, "max_seq_length: expected 1 to 24"):
                encoder.max_seq_length = wrong

    def test_a_given_library(self):
        encoder = self.encoder()
        expected = encoder.encode(SENTENCES)
        with unittest.mock.patch.dict(os.environ, {"HEDDLE": "/nonexistent"}):
            with heddle.SentenceEncoder(self.folder / "encoder", library=encoder.model.path) as again:
                np.testing.assert_array_equal(again.encode(SENTENCES), expected)
            with self.check(heddle.ArgumentError, "library: precision cannot be given for a compiled library"):
                heddle.SentenceEncoder(self.folder / "encoder", library=encoder.model.path, precision="bf16-weights")
        with self.check(heddle.ArgumentError, "these sizes must be ranges: batch_size, sequence_length"):
            heddle.SentenceEncoder(self.folder / "encoder", library=support.softmax().path)

    def test_similarity(self):
        encoder = self.encoder(similarity_fn_name="dot")
        a, b = encoder.encode(SENTENCES[:2]), encoder.encode(SENTENCES[:3])
        np.testing.assert_allclose(encoder.similarity(a, b), a @ b.T, rtol=1e-6)
        np.testing.assert_allclose(encoder.similarity_pairwise(a, b[:2]), [1, 1], rtol=1e-5)

    def test_forked_processes(self):
        encoder = self.encoder()
        sentences = text_models.random_sentences(200, 20, 9)
        expected = encoder.encode(sentences, batch_size=8)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if np.array_equal(encoder.encode(sentences, batch_size=8), expected) else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


support.main()
