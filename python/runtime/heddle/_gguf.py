"""Reads the keys and values of a GGUF file; the tensors are read by the compiler."""
from __future__ import annotations

import mmap
import os
import struct
from typing import Any, Callable, Dict, List

import numpy as np

from .errors import ArgumentError

_STRING, _ARRAY = 8, 9
# The types of values by their numbers in the file.
_NUMBERS = {0: np.uint8, 1: np.int8, 2: np.uint16, 3: np.int16, 4: np.uint32, 5: np.int32, 6: np.float32, 7: np.bool_,
            10: np.uint64, 11: np.int64, 12: np.float64}


def read_keys(path: str, wanted: Callable[[str], bool]) -> Dict[str, Any]:
    """Returns the values of the keys for which `wanted` is true: numbers, texts, arrays of numbers, and lists of texts.

    path: a file of version 2 or 3, in little-endian byte order. If a model consists of shards, the first one contains
      its keys.

    Raises ArgumentError, which names the file and the offset of the error, if the file cannot be read or its header is
    damaged.
    """
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise ArgumentError(f"{path}: expected a GGUF file, found an empty file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Header(path, data).keys(wanted)
    except OSError as reason:
        raise ArgumentError(f"{path}: {reason.strerror}") from None


class _Header:
    """The header of a file, which is read from the beginning to the end of its keys."""

    def __init__(self, path: str, data: "mmap.mmap"):
        self._path, self._data, self._at, self._key = path, data, 0, ""

    def keys(self, wanted: Callable[[str], bool]) -> Dict[str, Any]:
        if self._bytes(4) != b"GGUF":
            raise ArgumentError(f"{self._path}: expected a GGUF file, whose first bytes are GGUF")
        version = self._number("<I")
        if version not in (2, 3):
            raise self._error(f"expected version 2 or 3 in little-endian byte order, found version {version}")
        self._number("<Q")  # the number of tensors
        found: Dict[str, Any] = {}
        for _ in range(self._number("<Q")):
            self._key = ""
            self._key = self._text(self._bytes(self._number("<Q")))
            value = self._value(self._number("<I"), wanted(self._key))
            if self._key in found:
                raise self._error("the file contains this key twice")
            if wanted(self._key):
                found[self._key] = value
        return found

    def _error(self, reason: str) -> ArgumentError:
        key = f"key {self._key!r:.80}: " if self._key else ""
        return ArgumentError(f"{self._path}: offset {self._at}: {key}{reason}")

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise self._error(f"{count} bytes go beyond the end of the file")
        self._at += count
        return self._data[self._at - count:self._at]

    def _number(self, kind: str) -> int:
        return int(struct.unpack(kind, self._bytes(struct.calcsize(kind)))[0])

    def _text(self, content: bytes) -> str:
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise self._error(f"expected text in UTF-8, found {content!r:.60}") from None

    def _value(self, kind: int, is_wanted: bool) -> Any:
        """Reads a value of the type `kind`. Returns None if it is not wanted."""
        if kind == _STRING:
            content = self._bytes(self._number("<Q"))
            return self._text(content) if is_wanted else None
        if kind == _ARRAY:
            element = self._number("<I")
            count = self._number("<Q")
            return self._strings(count, is_wanted) if element == _STRING else self._numbers(element, count)
        return self._numbers(kind, 1)[0].item()

    def _numbers(self, kind: int, count: int) -> "np.ndarray[Any, Any]":
        if kind not in _NUMBERS:
            raise self._error(f"a value of type {kind} is not supported")
        dtype = np.dtype(_NUMBERS[kind]).newbyteorder("<")
        return np.frombuffer(self._bytes(count * dtype.itemsize), dtype)

    def _strings(self, count: int, is_wanted: bool) -> List[str]:
        if count > (len(self._data) - self._at) // 8:
            raise self._error(f"{count} texts do not fit into the file")
        found: List[str] = []
        for _ in range(count):
            content = self._bytes(self._number("<Q"))
            if is_wanted:
                found.append(self._text(content))
        return found
