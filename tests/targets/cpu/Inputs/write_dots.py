"""write_dots.py FOLDER: writes dots.mlir, whose functions contain one heddle.dot or heddle.lookup each, for vectors of
many lengths, and dots.inc, which lists the functions in C. A heddle.dot multiplies two vectors elementwise and adds
each group of 2 or 4 neighbouring products to one sum. A heddle.lookup replaces indices by bytes of a table."""
import sys

# The types of an element and of a sum, and the number of products that are added to a sum. The right operand of `words`
# consists of bytes, and the left operand of `pairs` of unsigned bytes.
KINDS = {"unsigned": ("i8", "i32", 4), "signed": ("i8", "i32", 4), "words": ("i16", "i32", 2),
         "pairs": ("i8", "i16", 2), "bf16": ("bf16", "f32", 2)}
LANES = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 20, 21, 37]  # numbers of sums, or of bytes of a lookup
# 16 bytes with no order. Inputs/dots.c has the same.
TABLE = [-128, 127, 0, 5, -1, 9, 9, 77, -3, 4, 100, -100, 2, 1, 64, -64]


def function(name, kind, lanes):
    element, sum_element, each = KINDS[kind]
    side, sums = f"{lanes * each}x{element}", f"{lanes}x{sum_element}"
    other = f"{lanes * each}xi8" if kind == "words" else side
    return f"""func.func @{name}(%a: memref<{side}>, %b: memref<{other}>, %c: memref<{sums}>) {{
  %i = arith.constant 0 : index
  %l = vector.load %a[%i] : memref<{side}>, vector<{side}>
  %r = vector.load %b[%i] : memref<{other}>, vector<{other}>
  %s = vector.load %c[%i] : memref<{sums}>, vector<{sums}>
  %d = heddle.dot %l, %r, %s{" unsigned" if kind in ("unsigned", "pairs") else ""} : vector<{side}>, vector<{sums}>
  vector.store %d, %c[%i] : memref<{sums}>, vector<{sums}>
  return
}}
"""


def lookup(name, lanes):
    """Returns a function that stores in %c the bytes of the table at the indices in %a."""
    bytes_ = f"{lanes}xi8"
    return f"""func.func @{name}(%a: memref<{bytes_}>, %b: memref<{bytes_}>, %c: memref<{bytes_}>) {{
  %i = arith.constant 0 : index
  %l = vector.load %a[%i] : memref<{bytes_}>, vector<{bytes_}>
  %d = heddle.lookup %l in {TABLE} : vector<{bytes_}>
  vector.store %d, %c[%i] : memref<{bytes_}>, vector<{bytes_}>
  return
}}
"""


names = [(f"{kind}_{lanes}", kind, lanes) for kind in [*KINDS, "lookup"] for lanes in LANES]
with open(sys.argv[1] + "/dots.mlir", "w") as out:
    out.writelines(lookup(name, lanes) if kind == "lookup" else function(name, kind, lanes)
                   for name, kind, lanes in names)
with open(sys.argv[1] + "/dots.inc", "w") as out:
    out.writelines(f"DOT({kind}, {lanes}, {name})\n" for name, kind, lanes in names)
