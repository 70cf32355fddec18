"""verify_case.py HEDDLE WORK_DIR CASE_DIR [ARGUMENT...]: tests a model with inputs and expected results.

CASE_DIR contains inputs.safetensors, expected.safetensors, and either model.onnx or the files of a Hugging Face model.
The test runs `heddle verify` on 1 and 2 threads, with and without a library that `heddle compile` made before. Then it
compares the bytes of the outputs of `heddle run` on 1, 2 and 3 threads. The arguments, such as --dim, are passed to
every command.
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

heddle("compile", model, "-o", library, *arguments)
for threads in (1, 2):
    heddle("verify", model, *arguments, *expectations, "--threads", threads)
    heddle("verify", model, *arguments, *expectations, "--threads", threads, "--library", library)

results = []
for threads in (1, 2, 3):
    output = work / f"threads-{threads}.safetensors"
    heddle("run", model, *arguments, "--input", case / "inputs.safetensors", "--output", output, "--threads", threads)
    results.append(output.read_bytes())
if results.count(results[0]) != len(results):
    sys.exit("the outputs at 1, 2 and 3 threads differ")
