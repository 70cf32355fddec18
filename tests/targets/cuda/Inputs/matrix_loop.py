"""Checks the instructions in the loop of a linear layer of bf16 or f16 with tiles of 128 x 128 x 32.

usage: matrix_loop.py PTX
"""
import re
import sys

MAX_INSTRUCTIONS = 3  # for each matrix instruction

text = open(sys.argv[1]).read()
lines = [line.strip() for line in text.splitlines()]
labels = {line[:-1]: at for at, line in enumerate(lines) if re.fullmatch(r"\$\w+:", line)}
loops = []  # from a label to a branch back to it
for at, line in enumerate(lines):
    target = re.search(r"\bbra(?:\.uni)?\s+(\$\w+);", line)
    if target and labels[target[1]] < at:
        loops.append([body for body in lines[labels[target[1]] : at + 1] if re.match(r"(@!?%p\d+\s+)?[a-z]", body)])
products = [sum("mma.sync" in line for line in loop) for loop in loops]
if not any(products):
    sys.exit("no loop has matrix instructions")
loop, count = max(zip(loops, products), key=lambda pair: pair[1])
print(f"{len(loop)} instructions for {count} matrix instructions")
sys.exit(len(loop) > MAX_INSTRUCTIONS * count or ".local" in text)
