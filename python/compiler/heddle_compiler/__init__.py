"""The program `heddle`, the compiler, as a Python package. The function heddle.compile runs the program."""
import os
import pathlib
import sys
from typing import NoReturn


def path() -> pathlib.Path:
    """Returns the path of the program."""
    return pathlib.Path(__file__).with_name("heddle")


def main() -> NoReturn:
    """Implements the command `heddle`: replaces this process by the program, with the same arguments."""
    program = os.fspath(path())
    os.execv(program, [program, *sys.argv[1:]])
