"""Checks that each static library links, directly or through others, the libraries whose symbols it uses.

usage: links.py ROOT BUILD

ROOT is the root of the source tree, and BUILD is the build folder.
"""
import os
import re
import subprocess
import sys


def declared(root):
    """Maps each library NAME to the LIBRARIES that it links: heddle_library(NAME ... LINK LIBRARIES...)."""
    links = {}
    with open(os.path.join(root, "runtime/devices/devices.def"), encoding="utf-8") as table:
        devices = ["Heddle" + stem for stem in re.findall(r"^HEDDLE_DEVICE\(\w+, (\w+),", table.read(), re.M)]
    for folder in ("dialect", "compiler"):
        for path, _, names in os.walk(os.path.join(root, folder)):
            if "CMakeLists.txt" in names:
                with open(os.path.join(path, "CMakeLists.txt"), encoding="utf-8") as file:
                    text = re.sub(r"#.*", "", file.read()).replace("${HEDDLE_DEVICE_TARGETS}", " ".join(devices))
                for name, rest in re.findall(r"heddle_library\((\w+)([^)]*)\)", text):
                    words = rest.split()
                    links[name] = words[words.index("LINK") + 1:] if "LINK" in words else []
    return links


def reached(name, links):
    """Returns all libraries that `name` links, directly or through others."""
    found, pending = set(), [name]
    while pending:
        new = set(links.get(pending.pop(), [])) - found
        found |= new
        pending += new
    return found


def symbols(archive):
    """Returns two sets of symbols of namespace heddle: those that an archive defines, and those that it only uses."""
    text = subprocess.run(["nm", archive], capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^[0-9a-f ]{16} (\w) (\w*6heddle\w*)$", text, re.M)
    defines = {name for kind, name in listed if kind != "U"}
    return defines, {name for kind, name in listed if kind == "U"} - defines


def check(links, tables):
    """Returns a problem for each pair of a library and a library that it uses without linking it. `links` is the result
    of declared(); `tables` maps each library to the result of symbols()."""
    owners = {}
    for name, (defines, _) in tables.items():
        for symbol in defines:
            owners.setdefault(symbol, set()).add(name)
    problems = set()
    for name, (_, takes) in tables.items():
        for symbol in takes & owners.keys():
            if not owners[symbol] & reached(name, links):
                problems.add(f"{name} uses {' or '.join(sorted(owners[symbol]))} without linking it, for instance {symbol}")
    return sorted({p.split(", for instance ")[0]: p for p in sorted(problems)}.values())


def main(root, build):
    links = declared(root)
    archives = {name[3:-2]: os.path.join(path, name) for path, _, names in os.walk(build) for name in names
                if name.startswith("lib") and name.endswith(".a") and name[3:-2] in links}
    problems = check(links, {name: symbols(archive) for name, archive in archives.items()})
    print("\n".join(problems + [f"{len(archives)} libraries, {len(problems)} links missing"]))
    return 1 if problems or not archives else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
