"""Finds the program `heddle`, determines its version, and runs it."""
from __future__ import annotations

import functools
import importlib
import os
import shutil
import subprocess
from typing import List, Sequence, Tuple

from .errors import CompileError


def find() -> str:
    """Returns the path of the compiler: the environment variable HEDDLE, else the program of the package heddle, else
    `heddle` on PATH. Raises CompileError if there is none of these, or if HEDDLE is not a program."""
    told = os.environ.get("HEDDLE")
    if told:
        found = shutil.which(told)
        if not found:
            raise CompileError(f"the environment variable HEDDLE is {told!r}, which is not an executable program")
        return found
    try:
        return str(importlib.import_module("heddle_compiler").path())
    except ImportError:
        pass
    on_path = shutil.which("heddle")
    if not on_path:
        raise CompileError("the compiler was not found: install the Python package heddle, or set the environment "
                           "variable HEDDLE to the path of the program heddle")
    return on_path


@functools.lru_cache(maxsize=None)
def _version(program: str, size: int, changed: int) -> str:
    """Returns the output of `program --version`, followed by the size and the modification time of the program's file.
    Runs the program again only if they have changed."""
    run = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode or not run.stdout.startswith("heddle "):
        raise CompileError(f"{program} is not Heddle's compiler", run.stderr)
    return f"{run.stdout.strip()} {size} {changed}"


def version(program: str) -> str:
    """Returns a text that identifies the compiler: its version, and the size and time of its file, since development
    versions share a version number."""
    status = os.stat(os.path.realpath(program))
    return _version(program, status.st_size, status.st_mtime_ns)


def positional(source: str) -> str:
    """Returns a model as an argument: a path that begins like an option gets the prefix ./."""
    return f"./{source}" if source.startswith("-") else source


def run(program: str, arguments: Sequence[str]) -> Tuple[str, str]:
    """Runs the compiler and returns its stdout and stderr. If it fails, raises CompileError with its stderr."""
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
