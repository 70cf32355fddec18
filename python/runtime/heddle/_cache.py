"""A cache of compiled libraries on disk, shared by all processes.

An entry is a folder, whose name is the hash of everything that its library depends on. The files are written to a
temporary folder beside it, which is then renamed, so an entry is either complete or absent. If several processes need
the same entry, one of them makes it, and the others wait.
"""
from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import tempfile
from typing import Any, Callable, Dict, Iterator

from ._fingerprint import content_hash
from .errors import CompileError

_FACTS = "entry.json"  # the file of an entry with the sizes and hashes of its other files


def folder() -> pathlib.Path:
    """Returns the cache's folder: HEDDLE_CACHE_DIR, or else the folder heddle in XDG_CACHE_HOME, or in ~/.cache if
    XDG_CACHE_HOME is not an absolute path."""
    told = os.environ.get("HEDDLE_CACHE_DIR")
    if told:
        return pathlib.Path(told)
    home = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(home):
        return pathlib.Path(home) / "heddle"
    try:
        return pathlib.Path.home() / ".cache" / "heddle"
    except RuntimeError:
        raise CompileError("compiled libraries cannot be stored, because the home folder is unknown; set the "
                           "environment variable HEDDLE_CACHE_DIR to a folder") from None


def _is_whole(entry: pathlib.Path) -> bool:
    """Whether the files of the entry exist and are unchanged. A full disk or a crash may have truncated them, and the
    dynamic linker crashes on a library with damaged headers. For files of weights only the size is compared, since the
    runtime checks their contents."""
    try:
        facts = json.loads((entry / _FACTS).read_text())
        return all((entry / name).stat().st_size == size for name, size in facts["files"].items()) and all(
            content_hash(entry / name).hex() == written for name, written in facts["sha256"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    """Holds the lock of an entry, the file `path`, while the body of the `with` runs."""
    with open(path, "a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            pass  # without file locks the work may be done twice; the rename is still atomic
        yield


def find_or_make(key: str, make: Callable[[pathlib.Path], None], facts: Dict[str, Any]) -> pathlib.Path:
    """Returns the folder of the entry `key`. If the entry is missing or damaged, calls `make` with a folder into which
    `make` writes the entry's files. `facts` are stored in entry.json for people who inspect the cache."""
    root = folder()
    entry = root / key
    if _is_whole(entry):
        return entry
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / f"{key}.lock"):
            if not _is_whole(entry):
                _write(root, entry, make, facts)
    except OSError as reason:
        raise CompileError(f"the cache in {root} cannot be written: {reason.strerror or reason}; set the "
                           "environment variable HEDDLE_CACHE_DIR to another folder") from None
    with contextlib.suppress(OSError):
        (root / f"{key}.lock").unlink()
    return entry


def _write(root: pathlib.Path, entry: pathlib.Path, make: Callable[[pathlib.Path], None], facts: Dict[str, Any]) -> None:
    """Writes an entry in a temporary folder of `root`, and renames the folder to `entry`."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=root))
    try:
        make(made)
        files = {file.name: file.stat().st_size for file in sorted(made.iterdir())}
        hashes = {name: content_hash(made / name).hex() for name in files if not name.endswith(".weights")}
        (made / _FACTS).write_text(json.dumps({**facts, "files": files, "sha256": hashes}, indent=1))
        if entry.exists() and not _is_whole(entry):  # a file of the entry was truncated or changed
            shutil.rmtree(entry, ignore_errors=True)
        try:
            made.rename(entry)
        except OSError:
            if not _is_whole(entry):  # otherwise another process was first
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
