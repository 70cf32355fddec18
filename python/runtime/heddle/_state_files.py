"""Files with states of models."""
from __future__ import annotations

import json
import os
import struct
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Mapping, Tuple

from . import _texts
from .errors import ArgumentError
from .model import Model, Path

if TYPE_CHECKING:
    from .state import State

# A file contains these bytes, the length of a JSON object, the object, and the memory of the state. The object has the
# state's sizes ("sizes"), the number of bytes of its memory ("bytes"), and the argument `facts` of `write` ("facts").
_MAGIC = b"HDLSTAT1"
_LENGTH = struct.Struct("<Q")
_LONGEST = 1 << 28  # bytes of the JSON object


def write(state: "State", path: Path, facts: Mapping[str, Any]) -> None:
    """Writes a state and the JSON values `facts`. The file is either complete or not written.

    Raises ArgumentError if it cannot be written, or the state is on a device.
    """
    state._refuse_on_device("saved")
    name = _texts.path(path, "path")
    header = json.dumps({"sizes": {size: int(value) for size, value in state.sizes.items()},
                         "bytes": len(state._memory), "facts": dict(facts)}).encode()
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(os.path.abspath(name)), delete=False) as file:
            try:
                for part in (_MAGIC, _LENGTH.pack(len(header)), header, state._memory.data):
                    file.write(part)
                file.close()
                os.replace(file.name, name)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as reason:
        raise ArgumentError(f"{name}: {reason.strerror}") from None


def read(model: Model, path: Path) -> "Tuple[State, Dict[str, Any]]":
    """Returns the state in a file and the `facts` that were passed to `write`.

    Raises ArgumentError if the file cannot be read, is damaged, or contains the state of another model.
    """
    from .state import State  # that module imports this one
    name = _texts.path(path, "path")
    try:
        with open(name, "rb") as file:
            header = _header(name, file)
            if not set(header["sizes"]) <= {size.name for size in model.sizes}:
                raise ArgumentError(f"{name}: the state depends on other sizes than those of the model")
            try:
                state = State(model, **header["sizes"])
            except ArgumentError as reason:
                raise ArgumentError(f"{name}: {reason}") from None
            state._refuse_on_device("read from a file")
            begin = bytes(state._memory[:state._filled])  # describes the model and the sizes
            expected, rest = len(state._memory), os.fstat(file.fileno()).st_size - file.tell()
            if header["bytes"] != expected or rest != expected:
                raise ArgumentError(f"{name}: expected {expected} bytes of memory of the state, found {rest}")
            if file.readinto(state._memory.data) != expected:
                raise ArgumentError(f"{name}: the file became shorter while it was read")
    except OSError as reason:
        raise ArgumentError(f"{name}: {reason.strerror}") from None
    try:
        state.copy_sequence(0, 0)  # changes nothing, but checks the beginning of the memory
    except ArgumentError as reason:
        raise ArgumentError(f"{name}: {reason}") from None
    if bytes(state._memory[:state._filled]) != begin:
        raise ArgumentError(f"{name}: the beginning of the state's memory is damaged")
    if not all(0 <= rows and (rows <= state._capacity or not state._capacity) for rows in state.filled):
        raise ArgumentError(f"{name}: the numbers of filled rows, {list(state.filled)}, are damaged")
    return state, header["facts"]


def _header(name: str, file: BinaryIO) -> Dict[str, Any]:
    """Returns the JSON object at the beginning of a file."""
    begin = file.read(len(_MAGIC) + _LENGTH.size)
    if len(begin) != len(_MAGIC) + _LENGTH.size or not begin.startswith(_MAGIC):
        raise ArgumentError(f"{name}: expected a file that State.save or PromptCache.save wrote")
    (length,) = _LENGTH.unpack(begin[len(_MAGIC):])
    try:
        found = json.loads(file.read(length)) if length <= _LONGEST else None
    except (ValueError, RecursionError):
        found = None
    kinds = {"sizes": dict, "bytes": int, "facts": dict}
    if not isinstance(found, dict) or not all(isinstance(found.get(key), kind) for key, kind in kinds.items()):
        raise ArgumentError(f"{name}: the beginning of the file is damaged")
    return found
