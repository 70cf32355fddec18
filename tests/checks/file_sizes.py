"""Files stay small: none over 600 lines, nine in ten under 400.

usage: file_sizes.py ROOT
"""
import os
import statistics
import sys

FOLDERS = ["cmake", "dialect", "compiler", "runtime", "tests", "examples", "bench"]
SUFFIXES = (".h", ".c", ".cpp", ".td", ".py", ".sh", ".cmake", ".mlir", ".test", "CMakeLists.txt")


def lengths(root):
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "data")
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    file = os.path.join(path, name)
                    with open(file, encoding="utf-8") as lines:
                        yield sum(1 for _ in lines), os.path.relpath(file, root)


def main(root):
    sizes = sorted(lengths(root), reverse=True)
    if not sizes:
        print("no files found")
        return 1
    giants = [f"{file}: {lines} lines, at most 600" for lines, file in sizes if lines > 600]
    large = [f"{file}: {lines} lines" for lines, file in sizes if lines >= 400]
    print(f"{len(sizes)} files, median {statistics.median(lines for lines, _ in sizes):g} lines, "
          f"{len(large)} of 400 or more")
    if len(large) * 10 > len(sizes):
        giants += ["more than one in ten have 400 lines or more:"] + large
    print("\n".join(giants))
    return 1 if giants else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
