"""Compares heddle.CrossEncoder, which computes scores of pairs of texts, with calls of the model for one pair at a
time."""
import numpy as np

import heddle
import support
import text_models
from support import needs_tokenizers

PAIRS = [("the cat sleeps", "a kitten is napping"), ("the cat", "share prices fell sharply this morning in the market"),
         ("a man plays guitar", ""), ("the " * 60, "music")]


@needs_tokenizers
class CrossEncoders(support.Folder):
    def classifier(self, labels, **config):
        """Returns a CrossEncoder with `labels` scores for each pair and random weights. `config` contains entries
        of config.json."""
        made = heddle.CrossEncoder(text_models.cross_encoder(self.folder, labels, **config), max_length=20, threads=2)
        self.addCleanup(made.close)
        return made

    def logits(self, encoder, pair, most=20):
        """Looks up the token ids of a pair and computes its logits by a call of encoder.model. Tokens are removed from
        the longer text until both texts and three special tokens have at most `most` tokens in all."""
        vocabulary = {word: i for i, word in enumerate(text_models.SPECIAL + text_models.WORDS)}
        a, b = ([vocabulary.get(word, 3) for word in text.split()] for text in pair)
        while len(a) + len(b) > most - 3:
            (a if len(a) > len(b) else b).pop()
        ids, types = [1, *a, 2, *b, 2], [0] * (len(a) + 2) + [1] * (len(b) + 1)
        return encoder.model(input_ids=[ids], token_type_ids=[types]).logits[0]

    def test_one_score_a_pair(self):
        encoder = self.classifier(1)
        self.assertEqual(encoder.num_labels, 1)
        expected = np.array([self.logits(encoder, pair)[0] for pair in PAIRS], np.float64)
        np.testing.assert_allclose(encoder.predict(PAIRS), 1 / (1 + np.exp(-expected)), rtol=1e-5)
        np.testing.assert_array_equal(encoder.predict(PAIRS, activation_fn=lambda x: x), expected.astype(np.float32))
        np.testing.assert_array_equal(encoder.predict([list(pair) for pair in PAIRS] * 50, batch_size=3),
                                      np.tile(encoder.predict(PAIRS), 50))
        self.assertEqual(np.shape(encoder.predict(PAIRS[0])), ())
        self.assertEqual(encoder.predict([]).shape, (0,))

    def test_several_scores_a_pair(self):
        encoder = self.classifier(3)
        expected = np.stack([self.logits(encoder, pair) for pair in PAIRS])
        np.testing.assert_array_equal(encoder.predict(PAIRS), expected)
        powers = np.exp(expected.astype(np.float64))
        np.testing.assert_allclose(encoder.predict(PAIRS, apply_softmax=True), powers / powers.sum(axis=1, keepdims=True),
                                   rtol=1e-5)
        self.assertEqual(encoder.predict(PAIRS[0]).shape, (3,))
        with self.check(heddle.ArgumentError, "rank: expected a model with one score for each pair, found 3 scores"):
            encoder.rank("the cat", ["sun"])

    def test_ranks(self):
        encoder = self.classifier(1)
        documents = ["a kitten is napping", "share prices", "music for a crowd", "the sun"]
        scores = encoder.predict([("the cat", document) for document in documents])
        ranked = encoder.rank("the cat", documents, return_documents=True)
        self.assertEqual([entry["corpus_id"] for entry in ranked], np.argsort(-scores).tolist())
        self.assertEqual(ranked[0]["text"], documents[ranked[0]["corpus_id"]])
        self.assertEqual(len(encoder.rank("the cat", documents, top_k=2)), 2)

    def test_activations_of_the_directory(self):
        encoder = self.classifier(1)

        def encoder_with_activation(name):
            """Returns a CrossEncoder for a directory that specifies the activation torch.nn.NAME."""
            folder = self.folder / name
            folder.mkdir()
            model = text_models.cross_encoder(folder, 1, sentence_transformers={"activation_fn": f"torch.nn.{name}"})
            return heddle.CrossEncoder(model, library=encoder.model.path, max_length=20)

        with encoder_with_activation("Identity") as same:
            np.testing.assert_array_equal(same.predict(PAIRS[:1]), self.logits(encoder, PAIRS[0]))
        with self.check(heddle.ArgumentError, "its activation torch.nn.Tanh is unknown"):
            encoder_with_activation("Tanh")


support.main()
