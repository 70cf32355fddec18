#!/usr/bin/env python3
"""Generates text with drafts: cheap guesses of the next tokens, which the model checks in one call.

  speculate.py MODEL [--draft DRAFT] [--length N] [--tokens N] [--precision P] [--prompt TEXT]

MODEL: a .gguf file or the directory of a model with a chat template.
DRAFT: a smaller model with the same tokens. Without it, drafts are looked up in the text: if the last few tokens occur
  earlier, the draft is what follows them there. This helps if answers repeat parts of the question, as in corrections.

A call with several new tokens costs little more than a call with one, since both read all weights once. The tokens are
those that the model generates alone, token by token: a guess is used only if it is what the model chooses. The program
prints the answer, how many tokens each call has given, and the time of the model alone divided by the time with drafts.
"""
import argparse
import sys
import time

import numpy as np

import heddle

PROMPT = """Repeat this text and replace the word cat by dog: The cat sleeps on the warm window sill. In the morning the cat \
eats, and in the evening the cat plays in the garden until the sun has gone down behind the old houses of the street."""


class Decoder:
    """A decoder and the tokens that its state contains.

    output: "all_logits" if calls need the logits after each new token; "next_token" if only after the last one.
    length: the number of new tokens of a call that checks a draft; such calls have code of their own.
    capacity: the maximum number of tokens.
    """

    def __init__(self, path, output, length, capacity, **options):
        self.part = min(256, capacity)  # the maximum number of new tokens of a call
        ends = sorted({1, min(max(length, 2), self.part), self.part})
        classes = ",".join(f"{low + 1}..{high}" for low, high in zip([0, *ends], ends))
        self.model = heddle.compile(path, decoder=True, outputs=output, dims={
            "batch_size": 1, "sequence_length": classes, "capacity": range(1, capacity + 1)}, **options)
        self.state = heddle.State(self.model, capacity=capacity)
        self.output, self.tokens = output, []

    def read(self, tokens):
        """Makes `tokens` the tokens of the state; those that it contains already are not computed again. Returns the output
        for the new tokens; the last one is always new."""
        common = next((i for i, (mine, new) in enumerate(zip(self.tokens, tokens[:-1])) if mine != new),
                      min(len(self.tokens), len(tokens) - 1))
        while common < len(tokens):
            part = tokens[common:common + self.part]
            found = self.model.run({"input_ids": np.array([part]), "past": np.array([common]), "state": self.state},
                                   outputs=[self.output])[self.output]
            common += len(part)
        self.tokens = list(tokens)
        return found


class ModelDraft:
    """Drafts by a smaller model, token by token."""

    def __init__(self, decoder):
        self.decoder = decoder

    def __call__(self, tokens, count):
        found = []
        for _ in range(count):
            found.append(int(self.decoder.read(tokens + found)[0]))
        return found


def look_up(tokens, count, longest=4):
    """Looks for an earlier occurrence of the last `longest` tokens or, if there is none, of fewer, at least 2. Returns
    up to `count` tokens that follow the last such occurrence."""
    for length in range(min(longest, len(tokens) - 1), 1, -1):
        end = tokens[-length:]
        for at in range(len(tokens) - length - 1, -1, -1):
            if tokens[at:at + length] == end:
                return tokens[at + length:at + length + count]
    return []


def generate(decoder, prompt, most, ends, draft=None, length=0):
    """Returns the tokens that follow a prompt, at most `most`, up to a token in `ends`, and the number of calls.

    draft: a function of the tokens so far and a number, which returns at most so many guesses of the next tokens.
    length: the number of guesses that a call checks.
    """
    tokens, calls = list(prompt), 0
    while len(tokens) < len(prompt) + most:
        room = len(prompt) + most - len(tokens) - 1
        guesses = draft(tokens, min(length, room)) if draft and room else []
        best = decoder.read(tokens + guesses)[0].argmax(axis=-1)[-len(guesses) - 1:]
        calls += 1
        right = next((i for i, guess in enumerate(guesses) if guess != best[i]), len(guesses))
        for token in [*guesses[:right], int(best[right])]:
            tokens.append(token)
            if token in ends:
                return tokens[len(prompt):], calls
    return tokens[len(prompt):], calls


def main():
    parser = argparse.ArgumentParser(description="Generates text with drafts.")
    parser.add_argument("model")
    parser.add_argument("--draft")
    parser.add_argument("--length", type=int, default=4, help="guesses of a call, default 4")
    parser.add_argument("--tokens", type=int, default=100, help="the maximum number of tokens, default 100")
    parser.add_argument("--precision")
    parser.add_argument("--prompt", default=PROMPT)
    given = parser.parse_args()
    options = {} if given.precision is None else {"precision": given.precision}
    try:
        tokenizer = heddle.Tokenizer.open(given.model)
        template = heddle.ChatTemplate(tokenizer.templates.get("default", "{{ messages[0].content }}"), tokenizer.special)
        prompt = tokenizer.encode_chat(template.render([{"role": "user", "content": given.prompt}]))
        capacity = len(prompt) + given.tokens
        decoder = Decoder(given.model, "all_logits", given.length + 1, capacity, **options)
        draft = ModelDraft(Decoder(given.draft, "next_token", 256, capacity, **options)) if given.draft else look_up
    except heddle.Error as reason:
        sys.exit(f"speculate.py: {reason}")
    ends = [tokenizer.id(tokenizer.special.get("eos_token", ""))]
    runs = {}
    for _ in range(3):  # the two ways run alternately, and the fastest run of each counts
        for name, arguments in (("alone", ()), ("drafts", (draft, given.length))):
            decoder.tokens = []
            decoder.read(prompt)
            begin = time.perf_counter()
            tokens, calls = generate(decoder, prompt, given.tokens, ends, *arguments)
            seconds = time.perf_counter() - begin
            if name not in runs or seconds < runs[name][0]:
                runs[name] = seconds, tokens, calls
    print(tokenizer.decode(runs["drafts"][1]))
    seconds, tokens, calls = runs["drafts"]
    print(f"{len(tokens)} tokens in {calls} calls; alone {runs['alone'][0] / seconds:.2f} times as long; "
          f"{'the same' if tokens == runs['alone'][1] else 'other'} tokens as alone")


if __name__ == "__main__":
    main()
