"""Checks that source files have at most 350 lines.

usage: file_sizes.py ROOT (the root of the source tree)

A file that exceeds the limit must be split, or be listed in EXCEPTIONS with a limit of its own and a reason. A listed
file that no longer exceeds 350 lines must be removed from the list.
"""
import os
import sys

LIMIT = 350
EXCEPTIONS = {}

FOLDERS = ["cmake", "dialect", "compiler", "runtime", "python", "tests", "examples", "bench"]
SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".td", ".py", ".sh", ".cmake", ".mlir", ".test", "CMakeLists.txt")


def lengths(root):
    """Yields the path below ROOT and the number of lines of each source file."""
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "data")
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    file = os.path.join(path, name)
                    with open(file, encoding="utf-8") as lines:
                        yield os.path.relpath(file, root), sum(1 for _ in lines)


def check(sizes, exceptions):
    """Yields a problem for each file that exceeds its limit or needs no exception. `sizes` maps files to lines."""
    for file, lines in sizes.items():
        limit, _ = exceptions.get(file, (LIMIT, None))
        if lines > limit:
            yield f"{file}: {lines} lines, at most {limit}: split it, or add it to EXCEPTIONS in file_sizes.py"
    for file in exceptions:
        if sizes.get(file, 0) <= LIMIT:
            yield f"{file}: needs no exception in file_sizes.py any more"


def main(root):
    sizes = dict(lengths(root))
    problems = list(check(sizes, EXCEPTIONS))
    print("\n".join(problems + [f"{len(sizes)} files, {len(EXCEPTIONS)} of more than {LIMIT} lines for a reason, "
                                f"{len(problems)} mistakes"]))
    return 1 if problems or not sizes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
