#!/usr/bin/env python3
"""Answers a question with JSON that matches a schema, whatever the model would write alone:

  answer.py MODEL SCHEMA QUESTION [--precision P] [--max-tokens N]

MODEL: a .gguf file or the directory of a model with a chat template.
SCHEMA: a file with a JSON schema, or the schema itself.

Before each token, the package llguidance determines the tokens with which the text can still match the schema, and the
logits of all others become -inf. The program needs `pip install heddle 'heddle-runtime[text]' llguidance`.
"""
import argparse
import pathlib
import sys

import llguidance
import llguidance.numpy

import heddle


class Schema:
    """A logits_processor for one answer of a model, which becomes JSON that matches the text of a schema."""

    def __init__(self, model, schema):
        tokens = llguidance.LLTokenizer(model.tokenizer.backend.to_str(), n_vocab=model.vocabulary, eos_token=model.ends[0])
        # With flexible white space, a small model may generate spaces without end.
        grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, defaults={"whitespace_flexible": False})
        self.matcher = llguidance.LLMatcher(tokens, grammar)
        if self.matcher.is_error():
            raise heddle.ArgumentError(f"the schema: {self.matcher.get_error()}")
        self.mask = llguidance.numpy.allocate_token_bitmask(1, model.vocabulary)
        self.count = None  # the number of tokens at the previous call; None before the first call

    def __call__(self, tokens, logits):
        self.matcher.consume_tokens(tokens[len(tokens) if self.count is None else self.count:])
        self.count = len(tokens)
        llguidance.numpy.fill_next_token_bitmask(self.matcher, self.mask)
        llguidance.numpy.apply_token_bitmask_inplace(logits, self.mask)
        return logits


def main():
    parser = argparse.ArgumentParser(description="Answers a question with JSON that matches a schema.")
    parser.add_argument("model")
    parser.add_argument("schema")
    parser.add_argument("question")
    parser.add_argument("--precision")
    parser.add_argument("--max-tokens", type=int, default=200)
    given = parser.parse_args()
    options = {} if given.precision is None else {"precision": given.precision}
    try:
        schema = given.schema if given.schema.lstrip().startswith("{") else pathlib.Path(given.schema).read_text(encoding="utf-8")
        with heddle.LanguageModel(given.model, **options) as model:
            messages = [{"role": "user", "content": given.question}]
            print(model.chat(messages, given.max_tokens, logits_processor=Schema(model, schema)))
    except (heddle.Error, OSError, ValueError) as reason:
        sys.exit(f"answer.py: {reason}")


if __name__ == "__main__":
    main()
