"""Checks what `heddle bench --profile --markdown` counts for a linear layer by tiles: reads the table on stdin.

usage: tile_counts.py FLOP
"""
import sys

MAX_INSTRUCTIONS = 20  # of a warp for 1000 floating-point operations, of which 15.6 are multiply-adds
WAVEFRONTS, SECTORS = 4, 16  # of a request of 128 bits a lane

for line in sys.stdin:
    if line.startswith("| linear-tiles | k0_launch0 |"):
        row = [cell.strip() for cell in line.strip("|\n").split("|")]
        instructions, wavefronts, sectors = int(row[4]), float(row[7]), float(row[9])
        rate = 1000 * instructions / float(sys.argv[1])
        print(f"{rate:.1f} instructions for 1000 operations, {wavefronts} wavefronts, {sectors} sectors")
        sys.exit(rate > MAX_INSTRUCTIONS or wavefronts > WAVEFRONTS or sectors != SECTORS)
sys.exit("no row of linear-tiles")
