"""Files of JSON whose entries are of the kinds that are expected, or an ArgumentError says what they are."""
from __future__ import annotations

import copy
import json
import pathlib
from typing import Any, Iterator, Tuple, Union

from ..errors import ArgumentError

_KINDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class JsonFile:
    """What a file holds; an empty object or list where there is no file."""

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
        """None where it is absent or null."""
        found = self.content.get(name)
        if found is not None:
            self._expect(found, kind, f"{name}: ")
        return found

    def entries(self) -> Iterator[JsonFile]:
        """Those of a list, which are objects."""
        for entry in self.content:
            self._expect(entry, dict, "in its list: ")
            part = copy.copy(self)
            part.content = entry
            yield part
