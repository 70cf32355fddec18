"""Runs the program heddle with limits of processor time and memory. The environment variable HEDDLE_CPU, if set, names
the CPU for which `run` compiles."""
import os
import pathlib
import resource
import signal
import subprocess

import tensors

CPU_SECONDS, MEMORY = 60, 3 << 30 # default limits: seconds of processor time, and bytes


class Refused(Exception):
    """The program ended with status 1 and messages on stderr; `stdout` is what it printed on stdout."""

    def __init__(self, said, stdout):
        super().__init__(said)
        self.stdout = stdout


class Crash(Exception):
    """The program ended by a signal, with another status, or with status 1 but without a message."""


def call(program, *words, cpu=CPU_SECONDS, memory=MEMORY):
    """Runs `program` with the arguments `words` and returns its stdout. Raises Refused or Crash if the program fails.
    `cpu` and `memory` are limits in seconds and bytes; if `memory` is 0, it is not limited."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, errors="replace", preexec_fn=limit)
    said = done.stderr.strip()
    if done.returncode == 1 and said:
        raise Refused(said, done.stdout)
    if done.returncode < 0:
        raise Crash(f"{signal.Signals(-done.returncode).name}: {said[-500:]}")
    if done.returncode:
        raise Crash(f"status {done.returncode}: {said[-500:]}")
    return done.stdout


def run(program, model, inputs, folder, *words, **limits):
    """Runs a model with `heddle run` and the arrays `inputs` (by name), and returns the outputs by name. `folder` is a
    folder for temporary files."""
    folder = pathlib.Path(folder)
    (folder / "in.safetensors").write_bytes(tensors.encode(inputs))
    cpu = ["--mcpu", os.environ["HEDDLE_CPU"]] if "HEDDLE_CPU" in os.environ else []
    call(program, "run", model, "--input", folder / "in.safetensors", "--output", folder / "out.safetensors", *words,
         *cpu, **limits)
    return tensors.decode((folder / "out.safetensors").read_bytes())
