"""Checks the counts that `heddle bench --profile --markdown` prints for attention by tiles. Reads the table from stdin.

usage: attention_counts.py CANDIDATE FLOP INSTRUCTIONS BARRIERS SECTORS

INSTRUCTIONS is the maximum number of warp instructions for 1000 floating-point operations, in all launches of the
candidate. BARRIERS is the maximum number of barriers that each warp reaches, summed over all warps.
SECTORS is the number of sectors of global memory that must be read and written; 5% more are allowed.
"""
import sys

candidate, flop, most, barriers, sectors = sys.argv[1], *map(float, sys.argv[2:])
rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in sys.stdin
        if line.startswith(f"| {candidate} |")]
sums = [row for row in rows if row[1] == "sum"]
if not sums:
    sys.exit(f"no row of {candidate}")
rate, waits, accessed = 1000 * int(sums[0][4]) / flop, int(sums[0][5]), int(sums[0][8])
print(f"{rate:.2f} instructions for 1000 operations, {waits} barriers, {accessed} sectors")
sys.exit(rate > most or waits > barriers or accessed > 1.05 * sectors)
