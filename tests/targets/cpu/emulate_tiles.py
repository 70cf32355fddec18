"""Replaces the instructions of Intel AMX in LLVM IR by calls of functions, so that the code runs on any CPU.

usage: emulate_tiles.py IN OUT

Fails if the code has no such instruction. Inputs/emulated_tiles.c has the functions, in which a tile is a pointer.
"""
import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r"@llvm\.x86\.(t\w+)\.internal", r"@emulated_\1", text)
    if not count:
        sys.exit(f"{sys.argv[1]}: expected instructions of AMX")
    text = re.sub(r"\bx86_amx\b", "ptr", text)
    # The attributes of intrinsics, such as not writing memory, do not hold for the functions.
    text = re.sub(r"(@emulated_\w+\([^\n]*\)) #\d+", r"\1", text)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


main()
