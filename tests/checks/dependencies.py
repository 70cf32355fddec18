"""Checks that files include and link only what the architecture allows.

usage: dependencies.py ROOT (the root of the source tree)

runtime/ may use libc, threads and dl. dialect/ may use MLIR's IR. compiler/ may use the dialect, the runtime's public
headers and MLIR. examples/ and bench/ may use public headers. Nothing may depend on tests/, examples/ or bench/. Within
compiler/, a folder may include only headers of folders that precede it in the list ROOMS, and folders must not include
each other in a circle.
"""
import os
import re
import sys

# A quoted include is searched for in the folder of the including file, in the parents of that folder, and in these
# folders.
ROOTS = ["dialect", "compiler/include", "runtime/include", "compiler", "runtime", ""]

# The files of the source tree that each component may include, by the beginnings of their paths.
ALLOWED = {
    "runtime": ["runtime/"],
    "dialect": ["dialect/"],
    # compiler/ptx implements a kind of device that the runtime lacks, an interpreter of PTX. It needs the interface of
    # drivers (driver.h) and a reader of PTX directives (ptx.h).
    # tensors/safetensors.h: the compiler and heddle-runner read files with the same code.
    "compiler": ["compiler/", "dialect/", "runtime/include/", "runtime/devices/driver.h", "runtime/devices/ptx.h",
                 "runtime/devices/devices.def", "runtime/tensors/safetensors.h"],
    "examples": ["examples/", "runtime/include/", "compiler/include/"],
    "bench": ["bench/", "runtime/include/", "compiler/include/"],
}
# The kinds of devices. Each has a folder of its own in compiler/targets.
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime/devices/devices.def")
with open(TABLE, encoding="utf-8") as table:
    DEVICES = re.findall(r"^HEDDLE_DEVICE\((\w+),", table.read(), re.M)
# The folders of compiler/. Each is listed after all folders that it may include.
ROOMS = [
    "support", "weights", "abi", "recognise", "import", "padding", "transforms", "kinds", "tiles", "vectorize", "lowering", "strategies",
    "ptx", "execute", "targets/math", "targets/llvm", "targets/cpu", "targets/gpu",
    *(f"targets/{device}" for device in DEVICES), "targets", "compile", "verify", "precision", "bench", "tools",
]
# A public header belongs to the folder that contains a .cpp file of the same name. If there is no such file or more
# than one, this table names the folder of the header.
HEADER_ROOMS = {
    "Accesses.h": "transforms", "ArenaLayout.h": "support", "GuardedBytes.h": "support", "Kinds.h": "kinds",
    "Lowering.h": "lowering", "OnnxTestData.h": "import",
    "Passes.h": "support", "Recognise.h": "recognise", "Strategy.h": "strategies", "TargetFacts.h": "support",
    "Verify.h": "verify",
    "SizeArithmetic.h": "transforms", "Target.h": "transforms", # interfaces that the targets' folders implement
}
# Includes that close a circle of folders, (from, to), and the reason why they are allowed. Each exception serves a
# single function, so the including folder does not depend on the rest of the other folder.
CIRCLES = {
    ("compiler/lowering", "compiler/lowering/attention"):
        "transform.heddle.vectorize also vectorizes attention with heads in lanes",
}
MLIR = re.compile(r"^(mlir|llvm|lld|clang)(-c)?/")
FORBIDDEN_IN_RUNTIME = re.compile(r"^(mlir|llvm|lld|clang|onnx|google|nlohmann|CLI)(-c)?/")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def sources(folder):
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build")))
        for name in sorted(names):
            if name.endswith((".h", ".hpp", ".c", ".cpp", ".td")):
                yield os.path.join(path, name)


def resolve(root, file, include):
    """Returns the path below ROOT of an included file; None if it is a generated file or not in ROOT."""
    around = [os.path.dirname(file)]
    while len(around[-1]) > len(root) and os.path.dirname(around[-1]) != around[-1]:
        around.append(os.path.dirname(around[-1]))
    for folder in around + [os.path.join(root, r) for r in ROOTS]:
        path = os.path.normpath(os.path.join(folder, include))
        if os.path.isfile(path):
            return os.path.relpath(path, root)
    return None


def room(root, path):
    """Returns the entry of ROOMS for a file, or "unknown" if there is none. Returns None for a file in compiler/ itself
    and for Registry.h: these files may include everything, and every folder may include them."""
    name = os.path.basename(path)
    if path in (f"compiler/{name}", "compiler/include/heddle/Registry.h"):
        return None
    if path.startswith("compiler/include/"):
        homes = [r for r in ROOMS[:-1] if os.path.isfile(os.path.join(root, "compiler", r, name[:-2] + ".cpp"))]
        return HEADER_ROOMS.get(name, homes[0] if len(homes) == 1 else "unknown")
    found = [r for r in ROOMS if path.startswith(f"compiler/{r}/")]
    return max(found, key=len) if found else "unknown"


def runs_up(root, file, target):
    """Returns why a file of compiler/ may not include the file `target`; None if it may."""
    here, there = room(root, file), room(root, target)
    if "unknown" in (here, there):
        return f"{target if there == 'unknown' else file} is not in a known folder: add it to ROOMS or HEADER_ROOMS"
    if here and there and ROOMS.index(there) > ROOMS.index(here):
        return f"{here} may not depend on {there} ({target})"
    return None


def included(root, file):
    """Yields the line number, the name and the path (see resolve()) of each include of a file."""
    for number, line in enumerate(lines(file), 1):
        match = re.match(r'\s*#?\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(2), resolve(root, file, match.group(2))


def reach(arrows, start):
    """Maps each node that can be reached from `start` to the node before it on a path from `start`. `arrows` maps each
    node to the nodes to which its arrows lead."""
    by, front = {}, [start]
    while front:
        here = front.pop()
        for there in sorted(arrows.get(here, {})):
            if there not in by:
                by[there] = here
                front.append(there)
    return by


def circles(root, exceptions):
    """Returns a problem for each circle of includes among the folders of compiler/, and for each exception that closes
    no circle. A public header is a node of its own, from which arrows lead to the files that it includes."""
    arrows = {}
    for file in sources(os.path.join(root, "compiler")):
        for _, _, target in included(root, file):
            if target is None or not target.startswith("compiler/"):
                continue
            here, there = (path if path.startswith("compiler/include/") else os.path.dirname(path)
                           for path in (os.path.relpath(file, root), target))
            if here != there and "compiler" not in (here, there):
                arrows.setdefault(here, {}).setdefault(there, f"{os.path.relpath(file, root)} includes {target}")
    problems = [f"{here} -> {there}: needs no exception in dependencies.py any more"
                for here, there in exceptions if there not in arrows.get(here, {}) or here not in reach(arrows, there)]
    for here, there in exceptions:
        arrows.get(here, {}).pop(there, None)
    told = set()
    for here in sorted(arrows):
        back = reach(arrows, here)
        if here not in back or here in told:
            continue
        told |= {there for there in back if here in reach(arrows, there)}
        way, at = [], here
        while not way or at != here:
            way.append(arrows[back[at]][at])
            at = back[at]
        problems.append("circle of folders: " + "; ".join(reversed(way)))
    return problems


def check(root, exceptions={}):
    """Returns a problem for each forbidden include or link, and the number of files."""
    problems, count = circles(root, exceptions), 0
    for component, allowed in ALLOWED.items():
        for file in sources(os.path.join(root, component)):
            count += 1
            for number, include, target in included(root, file):
                where = f"{os.path.relpath(file, root)}:{number}"
                if component == "compiler" and target is not None and target.startswith("compiler/"):
                    wrong = runs_up(root, os.path.relpath(file, root), target)
                    problems += [f"{where}: {wrong}"] if wrong else []
                if target is not None and not target.startswith(tuple(allowed)):
                    problems.append(f"{where}: {component} may not depend on {target}")
                elif component == "runtime" and FORBIDDEN_IN_RUNTIME.match(include):
                    problems.append(f"{where}: runtime may not depend on {include}")
                elif component in ("examples", "bench") and MLIR.match(include):
                    problems.append(f"{where}: {component} may not depend on {include}")
        for path, folders, names in os.walk(os.path.join(root, component)):
            folders[:] = [f for f in folders if not f.startswith((".", "build"))]
            if component == "runtime" and "CMakeLists.txt" in names:
                file = os.path.join(path, "CMakeLists.txt")
                for number, line in enumerate(lines(file), 1):
                    if re.search(r"\b(MLIR|LLVM|heddle_library|heddle_tool)\b", line.split("#")[0]):
                        problems.append(f"{os.path.relpath(file, root)}:{number}: runtime may not link {line.strip()}")
    return problems, count


if __name__ == "__main__":
    found, files = check(sys.argv[1], CIRCLES)
    print("\n".join(found + [f"{files} files, {len(found)} forbidden dependencies"]))
    sys.exit(1 if found or not files else 0)
