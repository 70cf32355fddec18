"""Tests heddle.PromptCache: a call with a cache computes only new tokens; a cache can be saved to a file; threads can
share a cache; damaged files are refused."""
import concurrent.futures
import contextlib
import unittest.mock

import numpy as np

import heddle
import support
import talking_models

QUESTION = [{"role": "user", "content": "the cat sleeps"}]


@support.needs_jinja
@support.needs_tokenizers
class Caches(talking_models.Talking):
    @contextlib.contextmanager
    def counted(self):
        """Yields a list to which each call of the model adds its number of new tokens."""
        numbers, run = [], heddle.Model.run

        def counting(model, inputs, **options):
            numbers.append(inputs["input_ids"].shape[1])
            return run(model, inputs, **options)
        with unittest.mock.patch.object(heddle.Model, "run", counting):
            yield numbers

    def test_cache_computes_only_new_tokens(self):
        cache, messages = heddle.PromptCache(), list(QUESTION)
        for _ in range(3):
            answer = self.model.chat(messages, 10)
            ids = self.model.chat_prompt(messages)
            common = cache._common(ids, self.model.model)
            with self.counted() as numbers:
                self.assertEqual(self.model.chat(messages, 10, cache=cache), answer)
            self.assertEqual(numbers, [len(ids) - common] + [1] * 9)
            self.assertEqual(len(cache.tokens), len(ids) + 9)
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "12"}]
        self.assertGreater(common, len(self.model.chat_prompt(QUESTION)))
        # An earlier message differs.
        messages[0] = {"role": "user", "content": "the catty man"}
        self.assertEqual(self.model.chat(messages, 10, cache=cache), self.model.chat(messages, 10))
        with self.counted() as numbers:  # The same prompt again: only its last token is computed.
            self.model.chat(messages, 1, cache=cache)
        self.assertEqual(numbers, [1])

    def test_saved_cache(self):
        cache, path = heddle.PromptCache(), self.folder / "chat state"
        with self.check(heddle.ArgumentError, "the cache is empty"):
            cache.save(path)
        self.model.chat(QUESTION, 12, cache=cache)
        cache.save(path)
        found = heddle.PromptCache.load(self.model, path)
        self.assertEqual(found.tokens, cache.tokens)
        messages = [*QUESTION, {"role": "assistant", "content": "x"}, {"role": "user", "content": "12"}]
        with self.counted() as numbers:
            self.assertEqual(self.model.chat(messages, 12, cache=found), self.model.chat(messages, 12))
        self.assertLess(numbers[0], len(self.model.chat_prompt(messages)) - 10)
        state = heddle.State.load(self.model.model, path)
        self.assertEqual(state.filled[0], len(cache.tokens))
        state.save(path)
        with self.check(heddle.ArgumentError, "the file contains a state, but not the tokens of a cache"):
            heddle.PromptCache.load(self.model, path)

    def test_threads_share_a_cache(self):
        """If threads share a cache, each call returns the right answer or raises an ArgumentError."""
        cache, questions = heddle.PromptCache(), [[{"role": "user", "content": word}] for word in ("the", "cat", "12", "sun")]
        wanted = [self.model.chat(messages, 12) for messages in questions]

        def ask(i):
            try:
                return self.model.chat(questions[i % 4], 12, cache=cache) == wanted[i % 4]
            except heddle.ArgumentError as reason:
                return "another call has used it" in str(reason)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(set(pool.map(ask, range(60))), {True})
        self.assertEqual([self.model.chat(messages, 12, cache=cache) for messages in questions], wanted)

    def test_damaged_caches(self):
        cache, path = heddle.PromptCache(), self.folder / "state"
        self.model.chat(QUESTION, 4, cache=cache)
        cache.save(path)
        whole, random = path.read_bytes(), np.random.default_rng(1)
        begin = whole.index(b'"facts"') + 300  # the end of the headers of the file and of the state
        refused = 0
        for case in range(150):
            content = bytearray(whole)
            if case % 5 == 0:
                del content[int(random.integers(len(content))):]
            else:
                content[int(random.integers(begin))] ^= 1 << int(random.integers(8))
            path.write_bytes(content)
            try:
                self.model.chat(QUESTION, 2, cache=heddle.PromptCache.load(self.model, path))
            except heddle.ArgumentError as reason:
                refused += 1
                self.assertIn("state", str(reason))
        self.assertGreater(refused, 75)
        path.write_bytes(whole.replace(b'"sizes": {', b'"sizes": {"self": 1, '))
        with self.check(heddle.ArgumentError, "state: "):
            heddle.PromptCache.load(self.model, path)
        with self.check(heddle.ArgumentError, "model: expected a heddle.LanguageModel, found str"):
            heddle.PromptCache.load("x", path)
        with self.check(heddle.ArgumentError, "missing: No such file"):
            heddle.PromptCache.load(self.model, self.folder / "missing")
        with self.check(heddle.ArgumentError, "No such file"):
            cache.save(self.folder / "missing" / "file")

    def test_one_call_at_a_time_uses_a_cache(self):
        cache = heddle.PromptCache()
        first = self.model.stream_chat(QUESTION, 20, cache=cache)
        next(first)
        self.model.chat(QUESTION, 3, cache=cache)
        with self.check(heddle.ArgumentError, "cache: another call has used it before this one ended"):
            list(first)
        self.assertEqual(self.model.chat(QUESTION, 20, cache=cache), self.model.chat(QUESTION, 20))
        left = self.model.stream_chat(QUESTION, 20, cache=cache)  # a call that is not continued does no harm
        next(left)
        left.close()
        self.assertEqual(list(left), [])
        self.assertEqual(self.model.chat(QUESTION, 20, cache=cache), self.model.chat(QUESTION, 20))


support.main()
