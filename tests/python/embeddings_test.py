"""Compares the functions with which SentenceEncoder normalizes, quantizes and compares embeddings with the definitions
of these functions, and tests the batches into which it divides sentences."""
import numpy as np

import heddle
import support
from heddle.sentences import _batches, _embeddings
from support import rows


class Embeddings(support.Folder):
    def test_normalized_rows(self):
        x = rows(5, 8)
        x[2] = 0
        result = _embeddings.normalize(x)
        np.testing.assert_allclose(np.linalg.norm(result, axis=1), [1, 1, 0, 1, 1], rtol=1e-6)
        self.assertEqual(result.dtype, np.float32)

    def test_quantization_to_bits(self):
        x = np.array([[1, -1, 0, 2, -3, 4, 5, -6, 1]], np.float32)
        bits = _embeddings.quantize(x, "ubinary")
        np.testing.assert_array_equal(bits, [[0b10010110, 0b10000000]])
        self.assertEqual(bits.dtype, np.uint8)
        signed = _embeddings.quantize(x, "binary")
        np.testing.assert_array_equal(signed, [[0b10010110 - 128, 0]])
        self.assertEqual(signed.dtype, np.int8)

    def test_quantization_to_bytes(self):
        x = np.array([[0, 5, 510], [255, 5, 0], [127.5, 5, 255]], np.float32)  # steps of 1, 0 and 2 by column
        levels = _embeddings.quantize(x, "uint8")
        np.testing.assert_array_equal(levels, [[0, 0, 255], [255, 0, 0], [127, 0, 127]])
        np.testing.assert_array_equal(_embeddings.quantize(x, "int8"), levels.astype(int) - 128)
        np.testing.assert_array_equal(
            _embeddings.quantize(x[:1], "uint8", ranges=[[1, 0, 0], [256, 510, 255]]), [[0, 2, 255]])
        with self.check(heddle.ArgumentError, "int8 of one embedding needs `ranges`"):
            _embeddings.quantize(x[:1], "int8")
        with self.check(heddle.ArgumentError, "precision: expected one of float32, int8"):
            _embeddings.quantize(x, "int4")
        self.assertEqual(_embeddings.quantize(x[:0], "int8").dtype, np.int8)

    def test_similarities(self):
        a, b = rows(3, 8), rows(4, 8)
        a64, b64 = a.astype(float), b.astype(float)
        norm = np.linalg.norm
        definitions = {"cosine": lambda x, y: x @ y / norm(x) / norm(y), "dot": lambda x, y: x @ y,
                       "euclidean": lambda x, y: -norm(x - y), "manhattan": lambda x, y: -abs(x - y).sum()}
        for name, definition in definitions.items():
            np.testing.assert_allclose(_embeddings.similarity(a, b, name),
                                       [[definition(x, y) for y in b64] for x in a64], rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(_embeddings.similarity(a, b[:3], name, pairwise=True),
                                       [definition(x, y) for x, y in zip(a64, b64)], rtol=1e-5, atol=1e-6)
        self.assertEqual(_embeddings.similarity(a[0], b, "cosine").shape, (1, 4))
        with self.check(heddle.ArgumentError, "similarity_fn_name: expected one of cosine, dot"):
            _embeddings.similarity(a, b, "hamming")


class Batches(support.Folder):
    def test_bounds(self):
        lengths = np.random.default_rng(3).integers(1, 200, 500).tolist()
        batches = list(_batches.by_length(lengths, 32, 512))
        self.assertEqual(sorted(i for batch in batches for i in batch), list(range(500)))
        for batch in batches:
            self.assertLessEqual(len(batch), 32)
            self.assertLessEqual(len(batch) * max(lengths[i] for i in batch), 512)
        # Each batch but the last has at least 192 tokens including padding, or 32 sentences. A batch that has 192 tokens
        # gets no more sentences.
        for batch in batches[:-1]:
            longest = max(lengths[i] for i in batch)
            self.assertTrue(len(batch) == 32 or len(batch) * longest >= 192, (len(batch), longest))
            self.assertLess((len(batch) - 1) * longest, 192)
        self.assertEqual(list(_batches.by_length([900], 32, 512)), [[0]])
        self.assertEqual(list(_batches.by_length([0, 0], 32, 512)), [[0, 1]])
        self.assertEqual(list(_batches.by_length([], 32, 512)), [])

    def test_little_padding(self):
        lengths = np.random.default_rng(3).lognormal(3, 0.6, 100).astype(int).clip(3, 200).tolist()
        batches = list(_batches.by_length(lengths, 32, 2048))
        self.assertEqual(sorted(i for batch in batches for i in batch), list(range(100)))
        self.assertLess(sum(len(batch) * lengths[batch[0]] for batch in batches), 1.25 * sum(lengths))
        self.assertLess(len(batches), 20)  # Each batch is a call; there must be few calls.
        self.assertEqual(list(_batches.by_length([64] * 4 + [60, 57, 3, 3], 32, 2048)), [[0, 1, 2], [3, 4, 5], [6, 7]])
        self.assertEqual(list(_batches.by_length([3] * 9, 4, 2048)), [[0, 1, 2, 3], [4, 5, 6, 7], [8]])


support.main()
