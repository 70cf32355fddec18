"""heddle.LanguageModel generates the same tokens as transformers: in batches, in calls of several lengths, and after a
prefix."""
import numpy as np

import heddle
import support

DATA = support.ROOT / "tests" / "data" / "huggingface"
GEMMA, GPT2 = DATA / "tiny-gemma3", DATA / "tiny-gpt2"


def decoding(directory):
    """Returns prompts and the first 12 tokens that follow each of them, as tests/data/huggingface/make_decoding.py
    computed them with transformers."""
    tensors = support.read_safetensors(directory / "decoding.safetensors")
    return [list(map(int, row[:length])) for row, length in zip(tensors["prompts"], tensors["lengths"])], [
        list(map(int, row[:12])) for row in tensors["tokens"]]


class Languages(support.Folder):
    @classmethod
    def setUpClass(cls):
        cls.model = heddle.LanguageModel(GEMMA, batch_size=range(1, 4), sequence_length="1,2..3", capacity=range(4, 41))
        cls.prompts, cls.wanted = decoding(GEMMA)

    def test_tokens_equal_those_of_transformers(self):
        # Some prompts are longer than the sequence_length of a call, 3.
        self.assertEqual(self.model.generate(self.prompts, 12), self.wanted)
        self.assertEqual(self.model.generate(self.prompts[1], 12), self.wanted[1])
        self.assertEqual(self.model.generate(np.array(self.prompts[:1]), 1), [self.wanted[0][:1]])
        many = self.model.generate(self.prompts * 2, 5)  # These are more prompts than fit into a batch.
        self.assertEqual(many, [tokens[:5] for tokens in self.wanted] * 2)
        self.assertEqual(self.model.generate([], 3), [])
        self.assertEqual((self.model.vocabulary, self.model.capacity), (13, 40))

    def test_one_sequence_with_default_sizes(self):
        with heddle.LanguageModel(GPT2) as model:
            sizes = {size.name: (size.low, size.high, size.classes) for size in model.model.sizes}
            self.assertEqual(sizes, {"sequence_length": (1, 32, (1, 2, 17)), "capacity": (1, 32, ())})
            prompts, wanted = decoding(GPT2)
            self.assertEqual(model.generate(prompts, 12, stop=()), wanted)
            # By default, a sequence ends at the eos_token_id of the directory, which is 0.
            self.assertEqual(model.generate(prompts[:2], 12), [wanted[0][:9], wanted[1][:5]])
            # The model has 32 positions. The last token needs none, so 3 tokens of the prompt and 30 new ones fit.
            most = model.generate(prompts[0], 30, stop=())
            self.assertEqual((most[:12], len(most)), (wanted[0], 30))
            with self.check(heddle.ArgumentError, r"prompts\[0\]: 3 tokens and 31 new ones are too many; "
                                                   "a sequence may have at most 33 tokens"):
                model.generate(prompts[0], 31)
        with self.check(heddle.ClosedError, "closed"):
            model.generate(prompts, 1)

    def test_stream(self):
        # A sequence ends with its first token that equals `ends`. After its end, it yields None.
        ends = self.wanted[1][2]
        rows = list(self.model.stream(self.prompts, 12, stop=ends))
        for i, wanted in enumerate(self.wanted):
            last = wanted.index(ends) + 1 if ends in wanted else len(wanted)
            self.assertEqual([row[i] for row in rows], wanted[:last] + [None] * (len(rows) - last))
        self.assertEqual(self.model.generate(self.prompts, 12, stop=[ends])[1], self.wanted[1][:self.wanted[1].index(ends) + 1])
        tokens = self.model.stream(self.prompts[0], 12)
        self.assertEqual([next(tokens), next(tokens)], [[token] for token in self.wanted[0][:2]])

    def test_prefix(self):
        prefix = self.model.read(self.prompts[1][:4])
        self.assertEqual(prefix.filled, (4,))
        rest = [self.prompts[1][4:], [5], [2, 7, 1, 3, 0]]
        wanted = self.model.generate([self.prompts[1][:4] + tokens for tokens in rest], 6)
        for _ in range(2):  # generate must not change the prefix.
            self.assertEqual(self.model.generate(rest, 6, prefix=prefix), wanted)
        self.assertEqual(wanted[0], self.wanted[1][:6])

    def test_a_state_is_copied_to_several_sequences(self):
        state = self.model.read([1, 2, 3])
        other = state.spread(0, batch_size=3, capacity=17)
        self.assertEqual((other.filled, other.sizes), ((3, 3, 3), {"batch_size": 3, "capacity": 17}))
        inputs = {"input_ids": np.array([[4]]), "last": np.array([0])}
        wanted = self.model.model(**inputs, state=state).logits
        found = self.model.model(input_ids=np.array([[4]] * 3), last=np.array([0] * 3), state=other).logits
        np.testing.assert_array_equal(found, np.repeat(wanted, 3, axis=0))
        with self.check(heddle.ArgumentError, "there is no sequence 1"):
            state.spread(1)
        long = self.model.read([1, 2, 3, 4, 5])
        with self.check(heddle.ArgumentError, "has 5 rows, but the new state has room for only 4"):
            long.spread(0, capacity=4)

    def test_stop_tokens_of_the_directory(self):
        for file in GPT2.glob("*.safetensors"):
            (self.folder / file.name).write_bytes(file.read_bytes())
        (self.folder / "config.json").write_bytes((GPT2 / "config.json").read_bytes())
        prompts, wanted = decoding(GPT2)
        (self.folder / "generation_config.json").write_text(f'{{"eos_token_id": [{wanted[0][1]}, 12345]}}')
        with heddle.LanguageModel(self.folder, sequence_length=1, capacity=32) as model:
            self.assertEqual(model.generate(prompts[0], 12), wanted[0][:wanted[0].index(wanted[0][1]) + 1])
            self.assertEqual(model.generate(prompts[0], 12, stop=()), wanted[0])

    def test_library(self):
        path = self.folder / "fixed.so"
        heddle.compile(GPT2, dims={"batch_size": 2, "sequence_length": range(1, 3), "capacity": 20}, decoder=True,
                       output=path).close()
        prompts, wanted = decoding(GPT2)
        with self.check(heddle.ArgumentError, "batch_size cannot be given for a compiled library"):
            heddle.LanguageModel(library=path, batch_size=4)
        with heddle.LanguageModel(library=path) as model:
            # A call has two sequences, so the third prompt is processed in a call of its own.
            self.assertEqual(model.generate(prompts, 12), wanted)
            self.assertEqual(model.generate(prompts[1][3:], 9, prefix=model.read(prompts[1][:3])), wanted[1][:9])
            self.assertEqual(model.capacity, 20)
            with self.check(heddle.ArgumentError, "precision cannot be given"):
                heddle.LanguageModel(library=path, precision="int8")
        long = self.folder / "long.so"
        heddle.compile(GPT2, dims={"batch_size": 1, "sequence_length": 2, "capacity": 20}, decoder=True, output=long).close()
        with self.check(heddle.ArgumentError, "a sequence_length whose range begins at 1, since tokens are "
                                                   "generated one by one, found a range that begins at 2"):
            heddle.LanguageModel(library=long)

    def test_refusals(self):
        def refused(pattern, prompts, count=1, **options):
            with self.check(heddle.ArgumentError, pattern):
                self.model.generate(prompts, count, **options)

        refused(r"prompts\[1\]: it is empty", [[1], []])
        refused(r"prompts\[1\]: token 2 is 13, outside 0..12", [[1], [1, 2, 13]])
        refused(r"prompt: token 0 is -1, outside 0..12", [-1])
        refused(r"expected whole numbers, found float64", [[0.5]])
        refused("there is no tokenizer.json, which converts texts to tokens", "text")
        refused("there is no tokenizer.json, which converts texts to tokens", ["text"])
        refused("prompts: expected text or token ids, found bytes", b"text")
        refused(r"prompts\[0\]: expected text or token ids, found bytes", [b"text"])
        refused("expected a list of token ids, found 2 dimensions", [[[1]]])
        refused("prompts: expected text or token ids, found NoneType", None)
        refused("max_tokens: expected a positive number, found 0", [1], 0)
        refused("max_tokens: expected a positive number, found True", [1], True)
        refused(r"prompts\[0\]: 39 tokens and 3 new ones are too many; a sequence may have at most 41 tokens",
                [1] * 39, 3)
        refused("stop: expected token ids or texts, found None", [1], stop=[None])
        refused("prefix: expected a result of this model's `read`", [1], prefix=[1])
        with self.check(heddle.ArgumentError, "expected either a directory or .gguf file, or a library"):
            heddle.LanguageModel()
        with self.check(heddle.CompileError, "the model is not a decoder"):
            heddle.LanguageModel(support.TINY_BERT)
        with self.check(heddle.ArgumentError, "compiled with --decoder, which has input_ids, past, last, state and next_token"):
            heddle.LanguageModel(library=support.softmax().path)


support.main()
