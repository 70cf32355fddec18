"""The program `heddle`, the compiler, as a Python package brings it. heddle.compile runs it."""
import os
import pathlib
import sys
from typing import NoReturn


def path() -> pathlib.Path:
    """Where the program is."""
    return pathlib.Path(__file__).with_name("heddle")


def main() -> NoReturn:
    """The command `heddle`: becomes the program, with the arguments of this process."""
    program = os.fspath(path())
    os.execv(program, [program, *sys.argv[1:]])
