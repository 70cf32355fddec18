"""Runs the compiler: python -m heddle_compiler."""
from . import main

main()
