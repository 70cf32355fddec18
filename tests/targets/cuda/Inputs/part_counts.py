"""Checks the sectors that `heddle bench --profile --markdown` counts for an operation that is divided into parts. Reads the
table from stdin.

usage: part_counts.py CANDIDATE BYTES

BYTES is the number of bytes that the launches of the candidate must read and write. The sectors, of 32 bytes, may have
5% more.
"""
import sys

SECTOR, MOST = 32, 1.05

candidate, wanted = sys.argv[1], int(sys.argv[2])
rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in sys.stdin
        if line.startswith(f"| {candidate} |")]
sums = [row for row in rows if row[1] == "sum"]
if not sums:
    sys.exit(f"no row of {candidate} with a sum")
moved = SECTOR * int(sums[0][8])
print(f"{moved} bytes in sectors, {moved / wanted:.3f} of {wanted}; {sums[0][4]} instructions")
sys.exit(not wanted <= moved <= MOST * wanted)
