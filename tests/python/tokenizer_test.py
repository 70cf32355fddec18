"""Tests heddle.Tokenizer: tokenizers of GGUF files agree with a slow implementation of SentencePiece, with the package
tokenizers, and with the tokenizer.json of a directory; errors name what is not supported."""
import json

import numpy as np

import heddle
import gguf_files
import support
import vocabularies
from vocabularies import TEXT


def random_texts(count, seed):
    """Returns random pieces of TEXT, and random characters."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        begin, length = random.integers(0, len(TEXT)), random.integers(1, 30)
        strange = "".join(chr(int(code)) for code in random.integers(1, 0x3000, 3))
        yield TEXT[begin:begin + length] + (strange if random.random() < 0.3 else "")


@support.needs_tokenizers
class Tokenizers(support.Folder):
    def open(self, keys, **more):
        return heddle.Tokenizer.open(gguf_files.write(self.folder / "file.gguf", {**keys, **more}))

    def test_sentence_piece(self):
        for prefix in (True, False):
            keys = vocabularies.sentence_piece(prefix=prefix)
            tokenizer = self.open(keys)
            for text in random_texts(200, 3):
                wanted = vocabularies.sentence_piece_ids(keys, text)
                self.assertEqual(tokenizer.encode(text, special=False), wanted, text)
                self.assertEqual(tokenizer.encode(text), [1, *wanted])
                self.assertEqual(tokenizer.decode(wanted), text)
        self.assertGreater(len(set(wanted)), 3)
        # A text is cut at special tokens, and a space is added before each part.
        part = vocabularies.sentence_piece_ids(vocabularies.sentence_piece(), "the cat")
        tokenizer = self.open(vocabularies.sentence_piece())
        self.assertEqual(tokenizer.encode("the cat</s>the cat<think>", special=False), [*part, 2, *part, 3])

    def test_space_after_special_tokens(self):
        """In models of Phi-3, white space after a special token belongs to the token."""
        keys = vocabularies.sentence_piece(prefix=False)
        (letter,) = vocabularies.sentence_piece_ids(keys, "a")
        for name, wanted in (("Phi 3", [3, 4 + 10, letter]), ("Phi-3 mini", [3, letter])):
            tokenizer = self.open(keys, **{"general.name": name})
            self.assertEqual(tokenizer.encode("<think>\na", special=False), wanted)
        self.assertEqual(tokenizer.encode("<s>\na", special=False), [1, 4 + 10, letter])

    def test_bytes_without_tokens(self):
        tokenizer = self.open(vocabularies.sentence_piece(prefix=False))
        self.assertEqual(tokenizer.encode("語", special=False), [4 + byte for byte in "語".encode()])
        self.assertEqual(tokenizer.decode([4 + 0xE8, 4 + 0xAA]), "\ufffd\ufffd")

    def test_byte_level(self):
        """The tokenizer of a file agrees with a tokenizer that the test builds from the same vocabulary."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
        keys = vocabularies.byte_level()
        numbers = {token: i for i, token in enumerate(keys["tokenizer.ggml.tokens"])}
        other = Tokenizer(models.BPE(numbers, vocabularies.merges(80)))
        other.pre_tokenizer, other.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        tokenizer = self.open(keys)
        for text in random_texts(300, 4):
            self.assertEqual(tokenizer.encode(text), other.encode(text).ids, text)
            self.assertEqual(tokenizer.decode(tokenizer.encode(text)), text)
        self.assertEqual(tokenizer.encode("a<|end|>b<think>"), [numbers["a"], 1, numbers["b"], 2])
        self.assertEqual(tokenizer.decode([numbers["a"], 1, numbers["b"], 2]), "ab<think>")
        self.assertEqual(tokenizer.decode([numbers["a"], 1], skip_special=False), "a<|end|>")

    def test_splits(self):
        """Tests where each kind of tokenizer cuts a text before it merges. Each expected part is a token."""
        cases = {
            "gpt-2": ["I", "'m", " 1234567", " ok", "!\n\n", " ", " x"],
            "smollm": ["I", "'m", " ", "1", "2", "3", "4", "5", "6", "7", " ok", "!\n\n", " ", " x"],
            "llama-bpe": ["I", "'m", " ", "123", "456", "7", " ok", "!\n\n", " ", " x"],
            "qwen2": ["I", "'m", " ", "1", "2", "3", "4", "5", "6", "7", " ok", "!\n\n", " ", " x"],
            "tekken": ["I", "'m", " ", "1", "2", "3", "4", "5", "6", "7", " ok", "!\n\n", " ", " x"],
            "gpt-4o": ["I'm", " ", "123", "456", "7", " ok", "!\n\n", " ", " x"],
            "default": ["I", "'", "m", " ", "123", "456", "7", " ok", "!", "\n\n ", " x"],
        }
        cases["gpt-2"][4:6] = cases["smollm"][-3:-1] = ["!", "\n\n "]
        spelled = vocabularies.letters()
        for pre, words in cases.items():
            with self.subTest(pre=pre):
                tokens, merges = list(spelled.values()), []
                for word in words:  # merges that make a token of each word
                    letters = [spelled[byte] for byte in word.encode()]
                    for end in range(1, len(letters)):
                        left, right = "".join(letters[:end]), letters[end]
                        if left + right not in tokens:
                            tokens.append(left + right)
                            merges.append(f"{left} {right}")
                keys = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre, "tokenizer.ggml.tokens": tokens,
                        "tokenizer.ggml.merges": merges, "tokenizer.ggml.add_bos_token": False}
                tokenizer = self.open(keys)
                ids = tokenizer.encode("I'm 1234567 ok!\n\n  x")
                self.assertEqual([tokenizer.decode([token]) for token in ids], words)

    def test_whole_words_are_not_merged(self):
        tokens = [*vocabularies.letters().values(), "ab", "bc", "abc"]
        keys = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": ["b c", "a b"],
                "tokenizer.ggml.add_bos_token": False}
        self.assertEqual(self.open(keys, **{"tokenizer.ggml.pre": "llama-bpe"}).encode("abc"), [258])
        self.assertEqual(self.open(keys, **{"tokenizer.ggml.pre": "qwen2"}).encode("abc"), [tokens.index("a"), 257])

    def test_word_piece(self):
        tokenizer = self.open(vocabularies.word_piece())
        names = vocabularies.word_piece()["tokenizer.ggml.tokens"]

        def spelled(text):
            return [names[token].replace("\u2581", "_") for token in tokenizer.encode(text)]
        self.assertEqual(spelled("The cats, unwantable."),
                         ["[CLS]", "_the", "_cat", "s", "_,", "[UNK]", "_.", "[SEP]"])
        self.assertEqual(spelled("CAFÉ 日日 sleeping"), ["[CLS]", "_cafe", "_日", "_日", "_sleep", "ing", "[SEP]"])

    def test_special_tokens_around_a_text(self):
        keys = vocabularies.byte_level()
        (letter,) = self.open(keys).encode("a")
        for bos, eos, wanted in ((True, False, [0, letter]), (False, True, [letter, 1]), (True, True, [0, letter, 1])):
            tokenizer = self.open(keys, **{"tokenizer.ggml.add_bos_token": bos, "tokenizer.ggml.add_eos_token": eos})
            self.assertEqual(tokenizer.encode("a"), wanted)
            self.assertEqual(tokenizer.encode("a", special=False), [letter])
            self.assertEqual(tokenizer.encode_chat("a"), [0, letter] if bos else [letter])
            self.assertEqual(tokenizer.encode_chat("<|start|>a"), [0, letter])
        self.assertEqual(dict(tokenizer.special), {"bos_token": "<|start|>", "eos_token": "<|end|>"})
        self.assertEqual(self.open(keys, **{"tokenizer.ggml.pre": "llama-bpe"}).encode("a"), [0, letter])

    def test_tokenizer_json_in_a_file(self):
        inner = self.open(vocabularies.word_piece())
        keys = {**vocabularies.byte_level(), "tokenizer.huggingface.json": inner.backend.to_str()}
        self.assertEqual(self.open(keys).encode("the cat"), [4, 5])

    def test_directory(self):
        self.open(vocabularies.byte_level()).backend.save(str(self.folder / "tokenizer.json"))
        (self.folder / "tokenizer_config.json").write_text(json.dumps({
            "bos_token": {"content": "<|start|>"}, "pad_token": None,
            "chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}))
        (self.folder / "special_tokens_map.json").write_text(json.dumps({"eos_token": "<|end|>", "bos_token": "x"}))
        tokenizer = heddle.Tokenizer.open(self.folder)
        self.assertEqual(tokenizer.encode("the cat"), self.open(vocabularies.byte_level()).encode("the cat"))
        self.assertEqual(dict(tokenizer.special), {"bos_token": "<|start|>", "eos_token": "<|end|>"})
        self.assertEqual(tokenizer.templates, {"default": "a", "tool_use": "b"})
        (self.folder / "chat_template.jinja").write_text("c")
        self.assertEqual(heddle.Tokenizer.open(self.folder).templates, {"default": "c", "tool_use": "b"})

    def test_refusals(self):
        keys = vocabularies.byte_level()

        def refused(pattern, **more):
            changed = {**keys, **{f"tokenizer.ggml.{name}": value for name, value in more.items()}}
            with self.check(heddle.ArgumentError, f"file.gguf: .*{pattern}"):
                self.open({name: value for name, value in changed.items() if value is not None})

        refused("there is no tokenizer in the file", model=None)
        refused("tokenizer.ggml.model: 't5' is not supported; supported are gpt2, llama, bert", model="t5")
        refused("tokenizer.ggml.pre: 'unheard-of' is not supported; supported are codeshell, .*smollm", pre="unheard-of")
        refused("tokens: expected a list of texts, found None", tokens=None)
        refused("token_type: expected a number for each of the 339 tokens", token_type=[1])
        refused("merges: a tokenizer of the kind gpt2 needs them", merges=None)
        refused("merges: entry 0, 'ab', does not consist of two tokens", merges=["ab"])
        refused("merges: .*unheard", merges=["unheard of"])
        refused("eos_token_id'?: expected a token, 0..338, found 339", eos_token_id=339)
        refused("bos_token_id: texts need this token, but the file does not name it", bos_token_id=None, add_bos_token=True)
        refused("add_bos_token: expected true or false, found 3", add_bos_token=3)
        refused("tokens 3 and 3?\\d+ have the same text, '!'", tokens=keys["tokenizer.ggml.tokens"] + ["!"],
                token_type=keys["tokenizer.ggml.token_type"] + [1])
        pieces = vocabularies.sentence_piece()
        scores = pieces.pop("tokenizer.ggml.scores")
        with self.check(heddle.ArgumentError, "scores: a tokenizer of the kind llama needs them"):
            self.open(pieces)
        pieces["tokenizer.ggml.scores"] = scores
        pieces["tokenizer.ggml.tokens"][-1] = "a" * 5000
        with self.check(heddle.ArgumentError, r"token \d+ has 5000 characters, at most 4096 are supported"):
            self.open(pieces)
        with self.check(heddle.ArgumentError, "there is no tokenizer.json, which converts texts to tokens$"):
            heddle.Tokenizer.open(self.folder)
        (self.folder / "tokenizer.model").write_text("")
        with self.check(heddle.ArgumentError, "no tokenizer.json.*; transformers writes it"):
            heddle.Tokenizer.open(self.folder)
        (self.folder / "tokenizer.json").write_text("{}")
        with self.check(heddle.ArgumentError, "tokenizer.json: "):
            heddle.Tokenizer.open(self.folder)
        with self.check(heddle.ArgumentError, "missing.gguf: No such file"):
            heddle.Tokenizer.open(self.folder / "missing.gguf")
        tokenizer = self.open(keys)
        with self.check(heddle.ArgumentError, "text: expected text, found int"):
            tokenizer.encode(3)
        for wrong in ([-1], [1 << 40], ["a"], "ab", [True]):
            with self.check(heddle.ArgumentError, "tokens: expected token ids, found"):
                tokenizer.decode(wrong)
        with self.check(heddle.ArgumentError, "tokens: expected token ids, found -1"):
            tokenizer.token(-1)
        with self.check(heddle.ArgumentError, "token: expected text, found int"):
            tokenizer.id(3)
        with self.check(heddle.ArgumentError, "text: character 1 is half of a surrogate pair"):
            tokenizer.encode("a\ud800")


support.main()
