"""Checks that assembly keeps the sums of products in registers, and prints how many basic blocks have products.

usage: product_assembly.py FILE INSTRUCTION

A basic block that contains INSTRUCTION at least four times must not store vectors in the stack frame or read them from
there, nor move single elements of vectors.
"""
import re
import sys


def blocks(text):
    """Returns the lines of each basic block."""
    found = [[]]
    for line in text.splitlines():
        if re.match(r"\.?\w+:", line) or re.match(r"\s+j\w+\s", line):
            found.append([])
        else:
            found[-1].append(line)
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        multiplying = [lines for lines in blocks(file.read())
                       if sum(line.split()[:1] == [sys.argv[2]] for line in lines) >= 4]
    wrong = [line.strip() for lines in multiplying for line in lines
             if re.search(r"%[xyz]mm.*(Spill|Reload)|v?p(insr|extr)", line)]
    for line in wrong:
        print("in a block with products:", line)
    print(f"{len(multiplying)} blocks with products")
    sys.exit(bool(wrong) or not multiplying)


main()
