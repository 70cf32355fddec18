"""Checks the counts that `heddle bench --profile --markdown` prints for a linear layer with the strategy linear-tiles
whose contraction is not divided into parts. Reads the table from stdin.

usage: tile_counts.py FLOP WAVEFRONTS BARRIERS

WAVEFRONTS is the largest number of wavefronts that all warps may need for their accesses to workgroup memory.
BARRIERS is the number of barriers that each warp reaches, summed over all warps.
"""
import sys

MAX_INSTRUCTIONS = 20  # warp instructions per 1000 floating-point operations; 15.6 of them are the multiply-adds
MAX_WAVEFRONTS, SECTORS = 4, 16  # per request in which each lane accesses 128 bits

for line in sys.stdin:
    if line.startswith("| linear-tiles:part_workgroups=1 | k0_launch0 |"):
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
