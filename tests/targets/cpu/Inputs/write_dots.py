"""write_dots.py FOLDER: writes dots.mlir, whose functions contain one heddle.dot each, for vectors of many lengths, and
dots.inc, which lists the functions in C. A heddle.dot multiplies two vectors
elementwise and adds each group of 2 or 4 neighbouring products to one sum."""
import sys

# The types of an element and of a sum, and the number of products that are added to a sum. The right operand of `words`
# consists of bytes.
KINDS = {"unsigned": ("i8", "i32", 4), "signed": ("i8", "i32", 4), "words": ("i16", "i32", 2), "bf16": ("bf16", "f32", 2)}
LANES = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 20, 21, 37]  # numbers of sums


def function(name, kind, lanes):
    element, sum_element, each = KINDS[kind]
    side, sums = f"{lanes * each}x{element}", f"{lanes}x{sum_element}"
    other = f"{lanes * each}xi8" if kind == "words" else side
    return f"""func.func @{name}(%a: memref<{side}>, %b: memref<{other}>, %c: memref<{sums}>) {{
  %i = arith.constant 0 : index
  %l = vector.load %a[%i] : memref<{side}>, vector<{side}>
  %r = vector.load %b[%i] : memref<{other}>, vector<{other}>
  %s = vector.load %c[%i] : memref<{sums}>, vector<{sums}>
  %d = heddle.dot %l, %r, %s{" unsigned" if kind == "unsigned" else ""} : vector<{side}>, vector<{sums}>
  vector.store %d, %c[%i] : memref<{sums}>, vector<{sums}>
  return
}}
"""


names = [(f"{kind}_{lanes}", kind, lanes) for kind in KINDS for lanes in LANES]
with open(sys.argv[1] + "/dots.mlir", "w") as out:
    out.writelines(function(*each) for each in names)
with open(sys.argv[1] + "/dots.inc", "w") as out:
    out.writelines(f"DOT({kind}, {lanes}, {name})\n" for name, kind, lanes in names)
