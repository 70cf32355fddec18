"""The program `heddle`: where it is, which version, and running it."""
from __future__ import annotations

import functools
import importlib
import os
import shutil
import subprocess
from typing import List, Sequence, Tuple

from .errors import CompileError


def find() -> str:
    """The compiler: what HEDDLE names, that of the package heddle, or the one on PATH."""
    told = os.environ.get("HEDDLE")
    if told:
        found = shutil.which(told)
        if not found:
            raise CompileError(f"HEDDLE names {told!r}, which is no program")
        return found
    try:
        return str(importlib.import_module("heddle_compiler").path())
    except ImportError:
        pass
    on_path = shutil.which("heddle")
    if not on_path:
        raise CompileError("there is no compiler here: install the wheel of heddle, or name the program by HEDDLE")
    return on_path


@functools.lru_cache(maxsize=None)
def _version(program: str, size: int, changed: int) -> str:
    run = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode or not run.stdout.startswith("heddle "):
        raise CompileError(f"{program}: is no compiler of heddle's", run.stderr)
    return f"{run.stdout.strip()} {size} {changed}"


def version(program: str) -> str:
    """What tells this compiler from any other: its version, and the size and time of its file, as versions that are being
    worked on have one number."""
    status = os.stat(os.path.realpath(program))
    return _version(program, status.st_size, status.st_mtime_ns)


def positional(source: str) -> str:
    """A model as an argument: what begins like an option is a path."""
    return f"./{source}" if source.startswith("-") else source


def run(program: str, arguments: Sequence[str]) -> Tuple[str, str]:
    """Runs a command, and returns what it printed on stdout and stderr. CompileError with its text where it fails."""
    command: List[str] = [program, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError as reason:
        raise CompileError(f"{program}: {reason.strerror}") from None
    if done.returncode:
        text = done.stderr.strip()
        how = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        raise CompileError(text or f"{program}: {how}", text)
    return done.stdout, done.stderr
