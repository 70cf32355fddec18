"""Checks that every kernel for CUDA can be assembled, as a driver would do, and keeps its values in registers.

usage: assemble.py HEDDLE PTXAS MODELS

PTXAS is the path of NVIDIA's assembler ptxas, which need not exist. Each line of MODELS has the arguments of one
`heddle compile`. The script fails if ptxas rejects a kernel, if a kernel spills more than 64 bytes or inside a loop, or
if the PTX contains calls of functions, approximate instructions, or instructions that flush denormals. Attention that
rounds its operands may approximate exponentials. Without ptxas, the script exits with status 77 (skipped) and a message
that says how to install ptxas.
"""
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import sass

ARCHITECTURES = [80, 90, 100]  # compute capabilities 8.0, 9.0 and 10.0
MAX_SPILL = 64  # bytes
IMPURE = re.compile(r"\.approx|\.ftz|div\.full|__nv_|\.extern \.func")
# The instruction that computes the weights (exponentials of scores) in attention that rounds its weights.
WEIGHTS = "ex2.approx.f32"


def spills(log):
    """Yields (kernel, size) from the output of ptxas -v. `size` is the size in bytes of the kernel's spill stores or of
    its spill loads, whichever is larger."""
    for kernel, text in re.findall(r"Function properties for (\S+)\n(.*)\n", log):
        stores, loads = map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text).groups())
        yield kernel, max(stores, loads)


def rounds_weights(model):
    """Returns whether a model, a quoted operation or the path of an .mlir file, has attention that rounds its weights."""
    if model.endswith(".mlir"):
        with open(model, encoding="utf-8") as file:
            model = file.read()
    return bool(re.search(r"\battention .*\b(rounding|type=bf16|type=f16)\b", model))


def check(heddle, ptxas, arguments, folder):
    """Returns the mistakes in the code of one model, and the number of its kernels."""
    text = folder + "/x.ptx"
    made = subprocess.run([heddle, "compile", *arguments, "--device", "cuda", "-o", text], capture_output=True, text=True)
    if made.returncode != 0 or made.stderr:
        return [f"compile: {made.stderr.strip()}"], 0
    with open(text, encoding="ascii") as file:
        code = file.read()
    instructions = re.sub("//.*", "", code)  # comments contain names of the model's operations, which might match
    if rounds_weights(arguments[0]):
        instructions = instructions.replace(WEIGHTS, "")
    mistakes = [f"has {found}" for found in sorted(set(IMPURE.findall(instructions)))]
    for architecture in ARCHITECTURES:
        cubin = folder + "/x.cubin"
        run = subprocess.run([ptxas, "-v", f"-arch=sm_{architecture}", text, "-o", cubin], capture_output=True, text=True)
        log = run.stdout + run.stderr
        if run.returncode != 0:
            mistakes.append(f"sm_{architecture}: {log.strip()}")
            continue
        mistakes += [f"sm_{architecture}: {kernel} spills {size} bytes" for kernel, size in spills(log)
                     if size > MAX_SPILL]
        with open(cubin, "rb") as file:
            mistakes += [f"sm_{architecture}: {kernel} spills in a loop ({count} instructions)"
                         for kernel, count in sass.check(file.read(), architecture)]
    return mistakes, code.count(".visible .entry")


def main(heddle, program, models):
    ptxas = shutil.which(program)
    if not ptxas:
        print("skipped: no ptxas (`pip install nvidia-cuda-nvcc-cu12` installs it)")
        return 77
    wrong = kernels = 0
    with open(models, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for line in file:
            arguments = shlex.split(line, comments=True)
            mistakes, count = check(heddle, ptxas, arguments, folder) if arguments else ([], 0)
            kernels += count
            wrong += bool(mistakes)
            for mistake in mistakes:
                print(f"{line.strip()}: {mistake}")
    print(f"{kernels} kernels, {wrong} models with mistakes")
    return int(bool(wrong) or not kernels)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
