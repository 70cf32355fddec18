"""Checks the machine code of linear layers, which ptxas makes of Heddle's PTX.

usage: matrix_loops.py HEDDLE PTXAS

PTXAS is the path of NVIDIA's assembler ptxas, which need not exist. The script prints a table of the instructions in the
loop along the contraction, and fails if a loop has more than three instructions for each matrix instruction (1.2 for
each multiply-add of f32), if a kernel spills a register, or if a thread of an f32 layer uses more than 128 registers.
Without ptxas, it exits with status 77 (skipped).
"""
import re
import shutil
import subprocess
import sys
import tempfile

import sass

ARCHITECTURES = [80, 90, 100]  # compute capabilities 8.0, 9.0 and 10.0
MAX_INSTRUCTIONS = {"HMMA": 3, "FFMA": 1.2}  # for each instruction that multiplies
# The low twelve bits of an instruction.
OPCODES = {0x23C: "HMMA", 0x223: "FFMA", 0x83B: "LDSM", 0xFAE: "LDGSTS"}
MAX_REGISTERS = {"HMMA": 255, "FFMA": 128}  # of a thread

LARGE = "linear m=4096 n=4096 k=1024"
WIDE = "matrix_block_columns=256,matrix_warp_columns=4"
ROWS = [  # the block, the layer, the strategy's knobs, and the instruction that multiplies
    ("128x128x16", LARGE + " type=f32", "", "FFMA"),
    ("64x64x16", "linear m=512 n=512 k=512 type=f32", "", "FFMA"),
    ("128x128x32", LARGE + " type=bf16", "", "HMMA"),
    ("128x128x32", LARGE + " type=f16", "", "HMMA"),
    ("128x256x32", LARGE + " type=bf16", WIDE, "HMMA"),
    ("128x256x32", LARGE + " type=f16", WIDE, "HMMA"),
    ("128x128x64", LARGE + " type=bf16", "matrix_depth=64,stages=2", "HMMA"),
    # Rows of f32 are loaded into registers before the products, and rounded after them.
    ("128x128x32", LARGE + " rounding=bf16 weights=constant", "", "HMMA"),
    ("128x256x32", LARGE + " rounding=f16 weights=constant", WIDE, "HMMA"),
]


def count(words):
    """Returns the number of instructions of each name in OPCODES."""
    names = [OPCODES.get(low & 0xFFF) for low, _ in words]
    return {name: names.count(name) for name in OPCODES.values()}


def check(heddle, ptxas, row, architecture, folder):
    """Prints a line of the table, and returns whether the code is as good as it should be."""
    block, operation, knobs, product = row
    text, cubin = folder + "/x.ptx", folder + "/x.cubin"
    strategy = "linear=linear-tiles" + (":" + knobs if knobs else "")
    subprocess.run([heddle, "compile", operation, "--device", "cuda", "--strategy", strategy, "-o", text], check=True)
    run = subprocess.run([ptxas, "-v", f"-arch=sm_{architecture}", text, "-o", cubin], capture_output=True, text=True,
                         check=True)
    log = run.stdout + run.stderr
    registers = max(map(int, re.findall(r"Used (\d+) registers", log)))
    spills = sum(map(int, re.findall(r"(\d+) bytes spill", log)))
    with open(cubin, "rb") as file:
        kernels = [code for name, code in sass.sections(file.read()) if name.startswith(".text.")]
    loops = [(count(words), len(words)) for code in kernels for words in sass.loops(code, architecture)]
    counts, size = max(loops, key=lambda loop: (loop[0][product], -loop[1]), default=(count([]), 0))
    rate = size / max(counts[product], 1)
    with open(text, encoding="ascii") as file:
        threads = int(re.search(r"\.reqntid (\d+)", file.read())[1])
    others = ", ".join(f"{number} {name}" for name, number in counts.items() if number and name != product)
    print(f"{block} {operation.split(' ', 4)[4]} sm_{architecture}: {size} instructions in the loop, "
          f"{rate:.2f} for each of {counts[product]} {product}; {others}; "
          f"{threads} threads of {registers} registers, {spills} bytes spilled")
    return (counts[product] > 0 and rate <= MAX_INSTRUCTIONS[product] and spills == 0 and
            registers <= MAX_REGISTERS[product])


def main(heddle, program):
    ptxas = shutil.which(program)
    if not ptxas:
        print("skipped: no ptxas (`pip install nvidia-cuda-nvcc-cu12` installs it)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        good = [check(heddle, ptxas, row, architecture, folder) for row in ROWS for architecture in ARCHITECTURES]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
