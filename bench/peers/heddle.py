"""Heddle itself: `heddle compile`, then the library's function."""
import os
import subprocess

import library

from . import Contestant

NAME = "Heddle"


def compile_work(work, program):
    """The library, in the work's folder; made anew where the compiler is younger."""
    path = work.folder / ("skip" if work.skips_padding else "full") / f"{work.mcpu or 'native'}.so"
    if not path.exists() or path.stat().st_mtime < os.stat(program).st_mtime:
        path.parent.mkdir(exist_ok=True)
        options = ["--mcpu", work.mcpu] if work.mcpu else []
        run = subprocess.run([program, "compile", *work.heddle_arguments(), *options, "-o", str(path)],
                             capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(run.stderr.strip() or f"heddle compile: status {run.returncode}")
    return path


def prepare(work, threads, program, runtime):
    """threads 1: without a pool, whatever the others of this process have."""
    pool = library.executor(runtime, threads)
    compiled = library.Compiled(str(compile_work(work, program)), threads, pool)
    outputs = compiled.bind(work.inputs, work.expected)
    loop = compiled.loop(runtime)
    return Contestant(lambda: loop(1), lambda: outputs, loop)
