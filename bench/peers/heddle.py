"""Heddle itself: `heddle compile`, then calls of the library's function."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import library

from . import Contestant

NAME = "Heddle"


def peak_memory(process):
    """Waits for the process and returns its peak memory in bytes. The peak is read while the process runs, because the
    value that wait4() returns includes the size of the parent process, of which the child is a copy before exec."""
    peak = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = max([peak] + [int(kib) * 1024 for kib in re.findall(r"VmHWM:\s*(\d+)", status)])
        except OSError:
            pass  # the process has just ended
        time.sleep(0.01)
    return peak


def compile_work(work, program, mattr=""):
    """Returns the path of the library for `work` (a Work: a model or operation that is timed, with its inputs), which
    lies in the work's folder, and the cost of compiling it (time, memory, size). Compiles the work if there is no
    library or if the compiler `program` is newer than the library. mattr: features to add to or remove from those of
    the CPU, as for `heddle compile --mattr`."""
    kind = ("skip" if work.skips_padding else "full") + ("" if work.precision == "f32" else "-" + work.precision)
    path = work.folder / kind / f"{work.mcpu or 'native'}{mattr}.so"
    record = path.with_suffix(".json")
    if not record.exists() or record.stat().st_mtime < os.stat(program).st_mtime:
        path.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryFile("w+") as messages:
            start = time.perf_counter()
            compiler = subprocess.Popen([program, "compile", *work.heddle_arguments(), "--mcpu", work.mcpu or "native",
                                         *([f"--mattr={mattr}"] if mattr else []), "-o", str(path)],
                                        stdout=subprocess.DEVNULL, stderr=messages)
            memory = peak_memory(compiler)
            seconds = time.perf_counter() - start
            messages.seek(0)
            if compiler.returncode:
                raise RuntimeError(messages.read().strip() or f"heddle compile: status {compiler.returncode}")
        record.write_text(json.dumps({"compile_seconds": seconds, "compile_bytes": memory,
                                      "library_bytes": path.stat().st_size}))
    return path, json.loads(record.read_text())


def prepare(work, threads, program, runtime, mattr=""):
    """Compiles the work and returns a Contestant, which calls the compiled library. (The contestants that are measured
    in turns are Heddle and its peers.) program: the path of `heddle`; runtime: the path of libheddle_bench.so. With
    threads == 1 there is no thread pool, even if other contestants in this process have more threads. mattr: as for
    compile_work."""
    pool = library.executor(runtime, threads)
    path, cost = compile_work(work, program, mattr)
    compiled = library.Compiled(str(path), threads, pool)
    cost["weights_bytes"] = compiled.model.weights_size
    outputs = compiled.bind(work.inputs, work.expected, work.fill)
    loop = compiled.loop(runtime)
    return Contestant(lambda: loop(1), lambda: outputs, loop, cost)
