"""The example 13-speculative-decoding: drafts change the number of calls, but not the tokens."""
import sys
import types

import numpy as np

import support
import talking_models

sys.path.insert(0, str(support.ROOT / "examples" / "13-speculative-decoding"))
import speculate  # noqa: E402

COUNT = 40


@support.needs_tokenizers
class Speculation(talking_models.Talking):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prompt = cls.tokenizer.encode("the cat sleeps in the warm sun, the cat")
        cls.wanted = cls.model.generate(cls.prompt, COUNT, stop=())
        capacity = len(cls.prompt) + COUNT
        # The library has code for calls with one new token, and other code for calls with more.
        cls.decoder = speculate.Decoder(str(cls.directory), "all_logits", capacity, capacity)

    def generate(self, draft=None, length=4, ends=(), count=COUNT):
        self.decoder.tokens = []
        return speculate.generate(self.decoder, self.prompt, count, ends, draft, length)

    def test_without_drafts(self):
        self.assertEqual(self.generate(), (self.wanted, COUNT))

    def test_right_and_wrong_guesses(self):
        random = np.random.default_rng(1)

        def guess(rate):
            def draft(tokens, count):
                right = (self.prompt + self.wanted)[len(tokens):len(tokens) + count]
                return [token if random.random() < rate else (token + 1) % 300 for token in right]
            return draft
        for rate, fewest, most in ((1, COUNT // 5, COUNT // 5), (0, COUNT, COUNT), (0.5, 10, 35)):
            for length in (4, 1):
                tokens, calls = self.generate(guess(rate), length)
                self.assertEqual(tokens, self.wanted)
                if length == 4:
                    self.assertTrue(fewest <= calls <= most, calls)

    def test_drafts_by_a_model(self):
        small = types.SimpleNamespace(read=lambda tokens: self.model.generate(tokens, 1, stop=()))
        self.assertEqual(self.generate(speculate.ModelDraft(small)), (self.wanted, COUNT // 5))

    def test_drafts_from_the_text(self):
        self.assertEqual(self.generate(speculate.look_up)[0], self.wanted)
        self.assertEqual(speculate.look_up([1, 2, 3, 4, 5, 2, 3], 3), [4, 5, 2])
        self.assertEqual(speculate.look_up([7, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], 1), [5])
        self.assertEqual(speculate.look_up([1, 2, 3], 4), [])

    def test_ends(self):
        for at in (3, 17):
            end = self.wanted[at]
            wanted = self.wanted[:self.wanted.index(end) + 1]
            for draft in (None, lambda tokens, count: (self.prompt + self.wanted)[len(tokens):len(tokens) + count]):
                self.assertEqual(self.generate(draft, ends=[end])[0], wanted)
        for count in range(1, 8):
            found = self.generate(lambda tokens, count: self.wanted[len(tokens) - len(self.prompt):][:count], count=count)[0]
            self.assertEqual(found, self.wanted[:count])


support.main()
