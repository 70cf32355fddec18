"""Checks what `heddle bench --profile --markdown` counts for a linear layer by tiles: reads the table on stdin.

usage: tile_counts.py FLOP WAVEFRONTS BARRIERS

WAVEFRONTS is the largest number of wavefronts that all warps may need for their accesses to workgroup memory.
BARRIERS is the number of barriers that all warps reach.
"""
import sys

MAX_INSTRUCTIONS = 20  # of a warp for 1000 floating-point operations, of which 15.6 are multiply-adds
MAX_WAVEFRONTS, SECTORS = 4, 16  # of a request of 128 bits a lane

for line in sys.stdin:
    if line.startswith("| linear-tiles | k0_launch0 |"):
        row = [cell.strip() for cell in line.strip("|\n").split("|")]
        instructions, barriers, total = int(row[4]), int(row[5]), int(row[6])
        wavefronts, sectors = float(row[7]), float(row[9])
        rate = 1000 * instructions / float(sys.argv[1])
        print(f"{rate:.1f} instructions for 1000 operations, {barriers} barriers, {total} wavefronts,", end=" ")
        print(f"{wavefronts} and {sectors} sectors each")
        sys.exit(
            rate > MAX_INSTRUCTIONS
            or total > int(sys.argv[2])
            or barriers != int(sys.argv[3])
            or wavefronts > MAX_WAVEFRONTS
            or sectors != SECTORS
        )
sys.exit("no row of linear-tiles")
