"""Compares compiled decoders of every family with logits and tokens that transformers computed in f64 with its own
cache (tests/data/huggingface/make_decoding.py). Prompts of different lengths are one batch. Thirty steps of one token
each follow. Before one of them, each sequence drops its last tokens, a different number for each sequence, and
continues after the remaining ones."""
import numpy as np

import heddle
import support

DATA = support.ROOT / "tests" / "data" / "huggingface"
FAMILIES = sorted(path.parent for path in DATA.glob("*/decoding.safetensors"))


class Decoding(support.Folder):
    def play(self, directory):
        """Returns the largest difference of logits and the largest magnitude of a logit. Checks that the library
        returns each next token, except where sequences drop tokens."""
        wanted = support.read_safetensors(directory / "decoding.safetensors")
        lengths, past = wanted["lengths"], wanted["past"]
        count, steps = past.shape
        capacity = int(past.max()) + 1
        model = heddle.compile(directory, decoder=True, dims={
            "batch_size": range(1, count + 1), "sequence_length": "1,2..8", "capacity": range(1, capacity + 1)})
        state = heddle.State(model, batch_size=count, capacity=max(capacity, wanted["prompts"].shape[1]))
        said = model(input_ids=wanted["prompts"], past=np.zeros(count, np.int64), last=lengths - 1, state=state)
        rows, apart, rewinds = lengths, np.abs(said.logits - wanted["logits"][:, 0]).max(), 0
        for step in range(steps):
            if (past[:, step] == rows).all():
                np.testing.assert_array_equal(said.next_token, wanted["tokens"][:, step])
            else:
                rewinds += 1
            said = model(input_ids=wanted["tokens"][:, step:step + 1], past=past[:, step], state=state)
            rows = past[:, step] + 1
            self.assertEqual(state.filled, tuple(rows))
            apart = max(apart, np.abs(said.logits - wanted["logits"][:, step + 1]).max())
        self.assertEqual((steps, rewinds), (30, 1))
        return apart, np.abs(wanted["logits"]).max()

    def test_every_family(self):
        self.assertEqual(len(FAMILIES), 12)
        for directory in FAMILIES:
            with self.subTest(family=directory.name):
                apart, largest = self.play(directory)
                print(f"{directory.name}: 30 tokens of 3 sequences, logits at most {apart:.2g} apart, the largest is {largest:.2g}")
                self.assertLess(apart, 1e-5 * largest)


support.main()
