"""verify_case.py HEDDLE WORK_DIR CASE_DIR [ARGUMENT...]: tests a model with inputs and expected results.

CASE_DIR contains inputs.safetensors, expected.safetensors, and either model.onnx or the files of a Hugging Face model.
The test runs `heddle verify` with code for this machine on 2 threads, and with a library for x86-64-v3 on 1 thread.
Then it compares the bytes of the outputs of `heddle run` with this library on 1, 2 and 3 threads. The arguments, such
as --dim, are passed to every command.
"""
import pathlib
import subprocess
import sys


def heddle(*words):
    subprocess.run([program, *map(str, words)], check=True)


program, work, case = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
arguments = sys.argv[4:]
work.mkdir(parents=True, exist_ok=True)
model = case / "model.onnx" if (case / "model.onnx").exists() else case
expectations = ["--input", case / "inputs.safetensors", "--expected", case / "expected.safetensors"]
library = work / "model.so"

heddle("compile", model, "-o", library, "--mcpu", "x86-64-v3", *arguments)
heddle("verify", model, *arguments, *expectations, "--threads", 2)
heddle("verify", model, *arguments, *expectations, "--threads", 1, "--library", library)

results = []
for threads in (1, 2, 3):
    output = work / f"threads-{threads}.safetensors"
    heddle("run", model, *arguments, "--library", library, "--input", case / "inputs.safetensors", "--output", output,
           "--threads", threads)
    results.append(output.read_bytes())
if results.count(results[0]) != len(results):
    sys.exit("the outputs at 1, 2 and 3 threads differ")
