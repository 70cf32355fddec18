"""Checks that libheddle.so exports exactly the symbols that exports.map lists and headers declare, needs only libc and
libm, has a SONAME, and is small.

usage: shared_library.py LIBRARY RUNTIME NM READELF STRIP

LIBRARY is libheddle.so, RUNTIME is the folder runtime/ of the sources, and NM, READELF and STRIP are programs.
RUNTIME/exports.map lists the symbols that host programs may use: a symbol of a released version is never removed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MAX_BYTES = 300_000 # the maximum size of the stripped library
NEEDED = re.compile(r"^(libc|libm|ld-linux-[a-z0-9-]+)\.so\.\d+$")


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def listed(runtime):
    """Returns the symbols in exports.map, each as name@@node, where node is its symbol version."""
    text = re.sub(r"#.*", "", (runtime / "exports.map").read_text())
    nodes = re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", text, re.S)
    return {f"{name}@@{node}" for node, body in nodes
            for name in re.findall(r"(\w+);", re.search(r"global:(.*?)(local:|$)", body, re.S).group(1))}


def declared(runtime):
    """Returns the names of the functions that the public headers declare."""
    found = set()
    for header in sorted((runtime / "include").rglob("*.h")):
        found.update(re.findall(r"HEDDLE_API [^;(]*?\b(heddle_\w+)\(", header.read_text()))
    return found


def compare(what, found, expected):
    """Returns a line for each name that is in only one of the two sets."""
    return [f"{what}: {name} is missing" for name in sorted(expected - found)] + \
           [f"{what}: {name} is not in exports.map" for name in sorted(found - expected)]


def check(library, runtime, nm, readelf, strip):
    """Returns the list of problems, and a line that summarises the library."""
    promised = listed(runtime)
    symbols = {line.split()[-1] for line in output(nm, "-D", "--defined-only", library).splitlines()}
    # The version nodes are symbols, too, so they are excluded.
    exported = {name for name in symbols if not re.fullmatch(r"HEDDLE_[\d.]+(@@HEDDLE_[\d.]+)?", name)}
    problems = compare("exported", exported, promised)
    problems += compare("declared with HEDDLE_API", declared(runtime), {name.split("@@")[0] for name in promised})
    dynamic = output(readelf, "-d", library)
    problems += [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not NEEDED.match(name)]
    if not re.search(r"\(SONAME\).*\[libheddle\.so\.\d+\]", dynamic):
        problems.append("has no SONAME")
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder, "stripped.so")
        subprocess.run([strip, "-o", stripped, library], check=True)
        size = stripped.stat().st_size
    if size > MAX_BYTES:
        problems.append(f"has {size} bytes stripped, more than {MAX_BYTES}")
    return problems, f"{len(promised)} functions, {size} bytes stripped"


if __name__ == "__main__":
    wrong, summary = check(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:6])
    print("\n".join(wrong + [summary]))
    sys.exit(1 if wrong or summary.startswith("0 ") else 0)
