"""Language models with text: heddle.LanguageModel and heddle-chat, with a small llama as a directory and as a GGUF file."""
import contextlib
import io
import os
import subprocess
import sys
import unittest.mock

import numpy as np

import heddle
import support
import gguf_files
import talking_models
import vocabularies
from heddle.language import terminal
from heddle.text import StopTexts, TokenText
from numpy_llama import Llama

QUESTION = [{"role": "user", "content": "the cat sleeps"}]


@support.needs_jinja
@support.needs_tokenizers
class Texts(talking_models.Talking):
    def test_text_is_the_text_of_the_tokens(self):
        tokens = self.model.generate(self.tokenizer.encode("the cat"), 30, stop=())
        wanted = self.tokenizer.decode(self.tokenizer.encode("the cat") + tokens)[len("the cat"):]
        self.assertEqual(self.model.generate("the cat", 30, stop=()), wanted)
        texts = ["the cat", "a man plays", "12"]
        found = self.model.generate(texts, 12)
        self.assertEqual(found, [self.model.generate(text, 12) for text in texts])
        lists = list(self.model.stream(texts, 12))
        self.assertEqual(["".join(row[i] or "" for row in lists) for i in range(3)], found)
        self.assertEqual(self.model.generate([], 3), [])

    def test_pieces_of_random_tokens(self):
        """Random tokens are seldom whole characters. The pieces are the text of all tokens nevertheless."""
        for seed in range(30):
            stream = self.model.stream("the cat", 40, temperature=3.0, seed=seed)
            pieces = list(stream)
            wanted = self.tokenizer.decode(self.tokenizer.encode("the cat") + stream.completion.tokens)[len("the cat"):]
            self.assertEqual("".join(pieces), wanted)
            self.assertEqual(stream.completion.text, wanted)
            self.assertIn(stream.completion.finish_reason, ("length", "stop"))
            if stream.completion.finish_reason == "length":
                self.assertEqual(len(stream.completion.tokens), 40)
            else:
                self.assertEqual(stream.completion.tokens[-1], 1)

    def test_characters_of_several_tokens(self):
        ids = self.tokenizer.encode("한x")
        self.assertEqual(len(ids), 4)
        text = TokenText(self.tokenizer)
        self.assertEqual([text.push(token) for token in ids], ["", "", "한", "x"])
        self.assertEqual(text.push(ids[0]) + text.flush(), "\ufffd")

    def test_characters_made_of_bytes(self):
        """Decoders of SentencePiece decode a run of bytes as a whole, also if it consists of several characters."""
        keys = vocabularies.sentence_piece(prefix=False)
        tokenizer = heddle.Tokenizer.open(gguf_files.write(self.folder / "pieces.gguf", keys))
        random = np.random.default_rng(5)
        for case in range(60):
            characters = random.choice(["日", "語", "😀", "é", "the", " ", "한", "x"], 12)
            whole = "".join(characters)
            ids, begin = tokenizer.encode(whole, special=False), int(random.integers(6))
            text = TokenText(tokenizer, ids[:begin])
            pieces = [text.push(token) for token in ids[begin:]] + [text.flush()]
            if tokenizer.decode(ids[:begin]).find("\ufffd") < 0:
                self.assertEqual(tokenizer.decode(ids[:begin]) + "".join(pieces), whole)
                self.assertNotIn("\ufffd", "".join(pieces))

    def test_stop_texts(self):
        self.assertEqual(pushed(["ab", "c"], "xabcd"), (["x", "", ""], "ab"))
        self.assertEqual(pushed(["bc", "abcd"], "xabcd"), (["x", "", "", "a"], "bc"))
        self.assertEqual(pushed(["aab"], "aaab"), (["", "", "a", ""], "aab"))
        self.assertEqual(pushed(["END"], "xENxEN"), (["x", "", "", "ENx", "", "", "EN"], None))
        self.assertEqual(pushed([], "ab"), (["a", "b", ""], None))

    def test_stop_texts_of_a_model(self):
        whole = self.model.complete("the cat", 40, temperature=1.0, seed=4, stop=())
        stops = [whole.text[begin:begin + 3] for begin in range(len(whole.text) - 3)]
        stops = [stop for stop in stops if "\ufffd" not in stop]  # broken characters depend on the tokens around them
        self.assertGreater(len(stops), 8)
        for stop in stops[:8]:
            wanted = whole.text[:whole.text.find(stop)]
            stream = self.model.stream("the cat", 40, temperature=1.0, seed=4, stop=stop)
            self.assertEqual("".join(stream), wanted)
            self.assertEqual(stream.completion.finish_reason, "stop")
            self.assertLess(len(stream.completion.tokens), 40)
            tokens = self.model.generate(self.tokenizer.encode("the cat"), 40, temperature=1.0, seed=4, stop=stop)
            self.assertEqual(tokens, whole.tokens[:len(tokens)])
            self.assertIn(stop, self.tokenizer.decode(tokens))
            self.assertNotIn(stop, self.tokenizer.decode(tokens[:-1]))

    def test_stop_texts_that_are_special_tokens(self):
        for seed in range(20):
            done = self.model.complete("the cat", 100, temperature=2.0, seed=seed, stop=["<|start|>", "zzz"])
            self.assertTrue(set(done.tokens[:-1]).isdisjoint((0, 1)))
            if done.tokens[-1] == 0:
                return self.assertEqual(done.finish_reason, "stop")
        self.fail("no text has this token")

    def test_chat(self):
        prompt = "<|start|>user\nthe cat sleeps<|end|>\n<|start|>assistant\n"
        ids = self.tokenizer.encode(prompt)
        self.assertEqual(self.model.chat_prompt(QUESTION), ids)
        self.assertEqual(ids[0], 0)
        done = self.model.complete(ids, 20)
        self.assertEqual(self.model.chat(QUESTION, 20), self.tokenizer.decode(done.tokens))
        stream = self.model.stream_chat(QUESTION)
        self.assertEqual("".join(stream)[:5], self.model.chat(QUESTION, 20)[:5])
        self.assertEqual((stream.completion.prompt_tokens, stream.completion.finish_reason), (len(ids), "length"))
        self.assertEqual(len(ids) + len(stream.completion.tokens), talking_models.LONGEST + 1)  # as many as fit

    def test_gguf_file(self):
        """The file and the directory contain the same model."""
        file = talking_models.gguf_file(self.folder)
        with heddle.LanguageModel(file, **talking_models.DIMS) as model:
            self.assertEqual(model.chat_prompt(QUESTION), self.model.chat_prompt(QUESTION))
            self.assertEqual(model.chat(QUESTION, 20), self.model.chat(QUESTION, 20))
            # The token 1 ends a sequence in both.
            for seed in range(5):
                options = {"temperature": 2.0, "seed": seed, "max_tokens": 100}
                self.assertEqual(model.complete("the", **options), self.model.complete("the", **options))
            cache = heddle.PromptCache()
            model.chat(QUESTION, 5, cache=cache)
            cache.save(self.folder / "state")
            with self.check(heddle.ArgumentError, "state: .*the state is of another model"):
                heddle.PromptCache.load(self.model, self.folder / "state")
            with self.check(heddle.ArgumentError, "cache: it contains the state of another model"):
                self.model.chat(QUESTION, 5, cache=cache)
        found = self.command(file, "--prompt", "the cat sleeps", "--temperature", "0", "--max-tokens", "20", "--capacity",
                             str(talking_models.LONGEST))
        self.assertEqual(found, (0, self.model.chat(QUESTION, 20) + "\n", ""))

    def test_log_probabilities(self):
        llama, past = Llama(self.directory), Llama(self.directory).empty()
        done = self.model.complete("the cat", 8, logprobs=3, temperature=1.5, seed=1)
        tokens = self.tokenizer.encode("the cat")
        rows = [llama.step(token, past, lambda layer, part, rows: rows) for token in tokens + done.tokens[:-1]]
        self.assertEqual([choice.token for choice in done.choices], done.tokens)
        for row, choice in zip(rows[len(tokens) - 1:], done.choices):
            logs = row - row.max() - np.log(np.exp(row - row.max()).sum())
            order = np.argsort(-logs)[:3]
            self.assertAlmostEqual(choice.logprob, logs[choice.token], delta=1e-4)
            np.testing.assert_allclose([value for _, value in choice.top], logs[order], atol=1e-4)
        self.assertEqual(self.model.complete("the cat", 8).choices, [])

    def test_seeds(self):
        one, again, other = (self.model.generate("the cat", 20, temperature=1.0, seed=seed) for seed in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        # The first of several prompts has the same random numbers as a single prompt.
        self.assertEqual(self.model.generate(["the cat", "the cat"], 20, temperature=1.0, seed=1)[0], one)

    def test_logits_processor(self):
        digits = [token for token in range(self.tokenizer.size) if self.tokenizer.decode([token]).isdigit()]

        def only_digits(tokens, logits):
            self.assertEqual(tokens[:len(prompt)], prompt)
            found = np.full_like(logits, -np.inf)
            found[digits] = logits[digits]
            return found
        prompt = self.tokenizer.encode("the cat")
        self.assertRegex(self.model.generate("the cat", 12, logits_processor=only_digits), r"^\d{12,}$")

    def test_prefix(self):
        prefix = self.model.read("the cat")
        self.assertEqual(self.model.generate(" sleeps", 9, prefix=prefix),
                         self.model.generate(self.tokenizer.decode(self.tokenizer.encode("the cat")) + " sleeps", 9))

    def test_library(self):
        library = self.folder / "lm.so"
        heddle.compile(self.directory, dims={"batch_size": 1, "sequence_length": 1, "capacity": 24}, decoder=True,
                       outputs="next_token", output=library, cpus="native").close()
        with heddle.LanguageModel(library=library) as model:
            with self.check(heddle.ArgumentError, "a compiled library has no tokenizer; pass tokenizer="):
                model.generate("the cat", 3)
        with heddle.LanguageModel(library=library, tokenizer=self.directory) as model:
            self.assertEqual(model.generate("the cat", 9), self.model.generate("the cat", 9))
            for options in ({"temperature": 1.0}, {"logprobs": 0}):
                with self.check(heddle.ArgumentError, "has no output logits, which sampling and log-probabilities need"):
                    model.generate("the cat", 3, **options)
        with heddle.LanguageModel(library=library, tokenizer=self.tokenizer) as model:
            self.assertEqual(model.generate("the cat", 9), self.model.generate("the cat", 9))
        # The files of the model name the tokens that end a text, even if it has another tokenizer.
        (self.folder / "tokenizer.json").write_bytes((self.directory / "tokenizer.json").read_bytes())
        for arguments, wanted in (((self.directory,), [1]), ((), [])):
            options = talking_models.DIMS if arguments else {"library": library}
            with heddle.LanguageModel(*arguments, tokenizer=self.folder, **options) as model:
                self.assertEqual(model.ends, wanted)
        with heddle.LanguageModel(library=library, tokenizer=self.tokenizer) as model:
            self.assertEqual(model.ends, [1])

    def test_refusals(self):
        def refused(pattern, prompts, count=1, **options):
            with self.check(heddle.ArgumentError, pattern):
                self.model.generate(prompts, count, **options)

        refused("prompt: it is empty", "")
        refused(r"prompts\[1\]: it is empty", ["a", ""])
        refused("prompts: expected either texts or token ids, found both", ["a", [1]])
        refused("text: character 0 is half of a surrogate pair", "\ud800")
        refused(r"prompts\[0\]: \d+ tokens and 1 new ones are too many; a sequence may have at most 193 tokens", "12 " * 200,
                None)
        refused("stop: a text is empty", "a", stop="")
        refused("cache: expected a heddle.PromptCache, found dict", "a", cache={})
        refused("cache: it holds one sequence, found 2 prompts", ["a", "b"], cache=heddle.PromptCache())
        refused("prefix and cache cannot be given together", "a", cache=heddle.PromptCache(), prefix=self.model.read("a"))
        refused("logprobs: expected a number of at least 0, found -1", "a", logprobs=-1)
        refused("logits_processor: expected a function, found int", "a", logits_processor=1)
        refused("no parameter is called 'temprature'; the parameters of sampling are temperature, top_k", "a", temprature=1)
        refused("no parameter is called 'capacity'", "a", capacity=3)
        refused("stop: expected token ids or texts, found <object", "a", stop=object())
        refused("stop: expected token ids or texts, found 1.5", "a", stop=1.5)
        refused("stop: expected token ids or texts, found bytes", "a", stop=b"ab")
        refused("expected a list of token ids", [[1, [2]]])
        refused("temperature: expected a number of at least 0", "a", temperature=10 ** 400)
        refused("top_p: expected a number above 0, at most 1, found 2", "a", top_p=2)
        with self.check(heddle.ArgumentError, "template: expected one of default, found 'rag'"):
            self.model.chat(QUESTION, template="rag")
        with self.check(heddle.ArgumentError, "messages: there are none"):
            self.model.chat([])
        with self.check(heddle.ArgumentError, "template: expected one of default, found"):
            self.model.chat(QUESTION, template=["a"])
        with self.check(heddle.ArgumentError, "variables: expected a dict, found int"):
            self.model.chat(QUESTION, variables=5)
        for name in ("tools", 3):
            with self.check(heddle.ArgumentError, f"variables: {name!r} is not the name of a further variable"):
                self.model.chat(QUESTION, variables={name: 1})
        bare = heddle.Tokenizer(self.tokenizer.backend, heddle.text.special.Special())
        with unittest.mock.patch.object(self.model, "_tokenizer", bare):
            with self.check(heddle.ArgumentError, "the model has no chat template; `generate` continues texts"):
                self.model.chat(QUESTION)

    def command(self, *arguments, lines=None):
        """Runs heddle-chat. Returns its status, its output and its errors."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), unittest.mock.patch(
                "sys.stdin", io.StringIO(lines or "")):
            status = terminal.main([str(argument) for argument in arguments])
        return status, out.getvalue(), errors.getvalue()

    def test_command(self):
        dims = ("--capacity", talking_models.LONGEST, "--temperature", 0, "--max-tokens", 12)
        answer = self.model.chat(QUESTION, 12)
        with_system = self.model.chat([{"role": "system", "content": "x"}, *QUESTION], 12)
        messages = [*QUESTION, {"role": "assistant", "content": answer}, {"role": "user", "content": "12"}]
        self.assertEqual(self.command(self.directory, *dims, lines="the cat sleeps\n\n12"),
                         (0, f"{answer}\n{self.model.chat(messages, 12)}\n", ""))
        self.assertEqual(self.command(self.directory, *dims, "--system", "x", "--prompt", "the cat sleeps"),
                         (0, f"{with_system}\n", ""))
        self.assertEqual(self.command(self.directory, *dims, "--continue", "--prompt", "the cat"),
                         (0, self.model.generate("the cat", 12) + "\n", ""))
        status, out, errors = self.command(self.directory, *dims, lines="the cat sleeps\n" + "12 " * 200 + "\n12\n")
        self.assertEqual((status, out), (0, f"{answer}\n{self.model.chat(messages, 12)}\n"))
        self.assertRegex(errors, r"^heddle-chat: prompts\[0\]: .* too many.*--capacity")
        status, out, errors = self.command(self.directory, *dims, "--prompt", "12 " * 200)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(errors, r"^heddle-chat: prompts\[0\]: \d+ tokens and 12 new ones are too many")
        self.assertEqual(self.command(self.folder, "--prompt", "x")[0], 1)
        self.assertEqual(self.command(self.directory, *dims, "--prompt", "x", "--top-p", 2)[2],
                         "heddle-chat: top_p: expected a number above 0, at most 1, found 2.0\n")

    def test_program(self):
        run = subprocess.run([sys.executable, "-m", "heddle.language.terminal", "--help"], capture_output=True, text=True,
                             env=os.environ)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("usage: heddle-chat [-h]", run.stdout)


def pushed(stops, text):
    """Returns what StopTexts returns for the characters of a text and at its end, and the text that it found."""
    finder, pieces = StopTexts(stops), []
    for character in text:
        if finder.found is None:
            pieces.append(finder.push(character))
    if finder.found is None:
        pieces.append(finder.flush())
    return pieces, finder.found


support.main()
