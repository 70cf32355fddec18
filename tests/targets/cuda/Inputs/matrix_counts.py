"""Checks the counts that `heddle bench --profile --markdown` prints for linear layers of bf16 or f16 with tiles of 128
x 128 or 128 x 256. Reads the table from stdin.

usage: matrix_counts.py M N K
"""
import sys

PER_PRODUCT, PER_REQUEST = 1.5, 4  # wavefronts of workgroup memory

m, n, k = (int(argument) for argument in sys.argv[1:])
products = m * n * k // (16 * 8 * 16)
rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in sys.stdin
        if line.startswith("| linear-tiles") and "| k0_launch0 |" in line]
good = bool(rows)
for row in rows:
    instructions, wavefronts, request = int(row[4]), int(row[6]), float(row[7])
    print(f"{row[0]}: for each matrix instruction {instructions / products:.2f} instructions and "
          f"{wavefronts / products:.2f} wavefronts; {request} wavefronts a request")
    good &= wavefronts <= PER_PRODUCT * products and request == PER_REQUEST
sys.exit(not good)
