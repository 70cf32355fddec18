"""Chat templates: write messages as the text of a prompt."""
from __future__ import annotations

import functools
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ..errors import ArgumentError
from ._sandbox import environment

Message = Mapping[str, Any]


class ChatTemplate:
    """A template in the language of jinja2 that writes messages as the text that a model was trained with. It is
    rendered in a sandbox, since it is part of a model's files.

        template = heddle.text.ChatTemplate(tokenizer.templates["default"], tokenizer.special)
        prompt = template.render([{"role": "user", "content": "Hello"}])

    source: the template.
    special: the texts of special tokens by the names that the template uses, such as bos_token.

    Raises ArgumentError if the template is not valid; Error if the package jinja2 is missing or too old.
    """

    def __init__(self, source: str, special: Optional[Mapping[str, str]] = None):
        self._special = dict(special or {})
        if not isinstance(source, str):
            raise ArgumentError(f"the chat template: expected text, found {type(source).__name__}")
        environment()  # fails if jinja2 is missing
        from jinja2.exceptions import TemplateError
        try:
            self._template = _compiled(source)
        except (TemplateError, RecursionError, SyntaxError, ValueError) as reason:
            raise ArgumentError(f"the chat template is not valid: {_sentence(reason)}") from None

    def render(self, messages: Sequence[Message], *, tools: Optional[Sequence[Any]] = None,
               documents: Optional[Sequence[Any]] = None, add_generation_prompt: bool = True, **variables: Any) -> str:
        """Returns the text of the messages.

        messages: dicts with "role" and "content", and with further entries that the template reads.
        tools, documents: JSON values for templates that use them.
        add_generation_prompt: whether the text ends with the beginning of an answer.
        variables: further variables of the template, such as enable_thinking.

        Raises ArgumentError if the messages are not valid, the template refuses them, or it tries to leave the sandbox.
        """
        from jinja2.exceptions import SecurityError
        read = checked(messages)
        try:
            given: Dict[str, Any] = {"messages": _plain(read), "tools": _plain(tools), "documents": _plain(documents),
                                     "add_generation_prompt": add_generation_prompt}
            given.update({name: _plain(value) for name, value in variables.items()})
            return str(self._template.render(**{**self._special, **given}))
        except ArgumentError:
            raise
        except SecurityError as reason:
            raise ArgumentError(f"the chat template tries to leave its sandbox: {_sentence(reason)}") from None
        except Exception as reason:  # a template may cause any error of the operations that it uses
            raise ArgumentError(f"the chat template: {_sentence(reason)}") from None


@functools.lru_cache(maxsize=16)
def _compiled(source: str) -> Any:
    return environment().from_string(source)


def checked(messages: Any) -> List[Message]:
    """Returns messages as a list of dicts without entries that are None. Raises ArgumentError if they are not valid."""
    if isinstance(messages, (str, bytes, Mapping)):
        raise ArgumentError(f"messages: expected a list of dicts with role and content, found {type(messages).__name__}")
    try:
        listed = list(messages)
    except TypeError:
        raise ArgumentError(f"messages: expected a list of dicts, found {type(messages).__name__}") from None
    if not listed:
        raise ArgumentError("messages: there are none")
    for i, message in enumerate(listed):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise ArgumentError(f"messages[{i}]: expected a dict with role and content, found {message!r:.60}")
        if not isinstance(message.get("content"), (str, list, tuple, type(None))):
            raise ArgumentError(f"messages[{i}]: content: expected text, found {message['content']!r:.60}")
    return [{key: value for key, value in message.items() if value is not None} for message in listed]


def _plain(value: Any) -> Any:
    """Returns a copy of a JSON value. Templates get no other objects, since methods of these may do anything."""
    if value is None or isinstance(value, bool):
        return value
    kinds: Any = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
    for kind, plain in kinds:
        if isinstance(value, kind):
            return plain(value)  # not a method of a class that is derived from the kind
    if isinstance(value, Mapping):
        return {_plain(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    raise ArgumentError(f"expected a JSON value for the chat template, found {type(value).__name__}")


def _sentence(reason: BaseException) -> str:
    """Returns an error's message, with the line of the template if it is known."""
    line = getattr(reason, "lineno", None)
    return f"{str(reason) or type(reason).__name__}{f' (line {line})' if line else ''}"
