"""Reads JSON files and checks the types of entries; errors are ArgumentErrors."""
from __future__ import annotations

import copy
import json
import pathlib
from typing import Any, Iterator, Tuple, Union

from .errors import ArgumentError

_KINDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class JsonFile:
    """The contents of a file, whose outermost value has the type `kind`. If there is no file, the contents are
    empty."""

    def __init__(self, path: pathlib.Path, kind: type = dict) -> None:
        self.path = path
        try:
            self.content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.content = kind()
        except (OSError, ValueError, RecursionError) as reason:
            raise ArgumentError(f"{path}: {reason}") from None
        self._expect(self.content, kind, "")

    def _expect(self, found: Any, kind: Union[type, Tuple[type, ...]], name: str) -> None:
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            kinds = " or ".join(_KINDS[each] for each in (kind if isinstance(kind, tuple) else (kind,)))
            raise ArgumentError(f"{self.path}: {name}expected {kinds}, found {found!r:.60}")

    def take(self, name: str, kind: Union[type, Tuple[type, ...]]) -> Any:
        """Returns the entry `name` of an object, which must have the type `kind`; None if it is absent or null."""
        found = self.content.get(name)
        if found is not None:
            self._expect(found, kind, f"{name}: ")
        return found

    def entries(self) -> Iterator[JsonFile]:
        """Yields the entries of a list, which must be objects."""
        for entry in self.content:
            self._expect(entry, dict, "in its list: ")
            part = copy.copy(self)
            part.content = entry
            yield part
