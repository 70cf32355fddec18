"""Checks how assembly uses the tile registers of Intel AMX, and prints how many products of tiles it has.

usage: tile_assembly.py FILE

Each function with a product of tiles must configure the registers once, outside of loops, release them before each
return, and spill no tile. At least one function must have a product.
"""
import re
import sys


def functions(text):
    """Returns the lines of each function by its name."""
    found, name = {}, None
    for line in text.splitlines():
        if label := re.match(r"(\w+):\s+# @", line):
            name = label[1]
            found[name] = []
        elif line.startswith(".Lfunc_end"):
            name = None
        elif name:
            found[name].append(line)
    return found


def problems(lines):
    """Returns what is wrong with a function that multiplies tiles."""
    loop, configured, released = False, 0, False
    for line in lines:
        if re.match(r"\.LBB|# %bb", line):
            loop = False
        loop |= "Loop" in line and line.lstrip(".LB0123456789_: ").startswith("#") or "Loop Header" in line
        word = line.split()[0] if line.split() else ""
        if word == "ldtilecfg":
            configured += 1
            if loop:
                yield "configures the registers in a loop"
        released = word == "tilerelease" or released and not word.startswith("t")
        if re.search(r"Folded (Spill|Reload)", line) and re.search(r"\btile|%tmm", line):
            yield f"spills a tile: {line.strip()}"
        if word == "retq" and not released:
            yield "returns without a release of the registers"
    if configured != 1:
        yield f"configures the registers {configured} times"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        multiplying = {name: lines for name, lines in functions(file.read()).items()
                       if any(re.match(r"\s+tdp", line) for line in lines)}
    wrong = [f"{name}: {problem}" for name, lines in multiplying.items() for problem in problems(lines)]
    if not multiplying:
        wrong = ["no function has a product of tiles"]
    for line in wrong:
        print(line)
    products = sum(bool(re.match(r"\s+tdp", line)) for lines in multiplying.values() for line in lines)
    print(f"{products} products in {len(multiplying)} functions")
    sys.exit(1 if wrong else 0)


main()
