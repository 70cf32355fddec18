"""The environment in which chat templates are rendered. Templates are part of a model's files, which may be hostile: a
template can only read the values that it is given. The time and the memory that it takes are not limited.

The functions and filters are those of transformers (utils/chat_template_utils.py), for which templates are written.
"""
from __future__ import annotations

import datetime
import functools
import json
from typing import Any

from .. import _optional


@functools.lru_cache(maxsize=None)
def environment() -> Any:
    """Returns the jinja2 environment. Raises Error if jinja2 is missing or too old."""
    jinja2 = _optional.require("jinja2")
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2.utils import Namespace

    def raise_exception(message: str) -> None:
        raise jinja2.exceptions.TemplateError(message)

    class Attributes(Namespace):
        """A namespace whose attributes must not begin with an underscore, as those of Python's own objects do."""

        def __init__(*arguments: Any, **named: Any) -> None:  # `self` may be a name of an attribute
            self, attributes = arguments[0], dict(*arguments[1:], **named)
            for name in attributes:
                Attributes._check(name)
            Namespace.__init__(self, attributes)

        def __setitem__(self, name: str, value: Any) -> None:
            Attributes._check(name)
            Namespace.__setitem__(self, name, value)

        @staticmethod
        def _check(name: Any) -> None:
            if isinstance(name, str) and name.startswith("_"):
                raise jinja2.exceptions.SecurityError(f"a template must not store the attribute {name!r} of a namespace")

    class Generation(Extension):
        """Renders the block {% generation %}, which marks what the model wrote, as its contents."""
        tags = {"generation"}

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.Scope(body, lineno=line)

    found = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    found.filters["tojson"] = _tojson
    found.globals.update(raise_exception=raise_exception, strftime_now=_strftime_now, namespace=Attributes, dict=_dict)
    return found


def _tojson(value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None,
            sort_keys: bool = False) -> str:
    """Returns JSON. Unlike the filter of jinja2, this does not escape the special characters of HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _strftime_now(format: str) -> str:
    return datetime.datetime.now().strftime(format)


def _dict(*arguments: Any, **named: Any) -> Any:
    """Makes a dict. Templates get this function instead of the class, whose attributes lead out of the sandbox."""
    return dict(*arguments, **named)
