"""Checks that no doc comment begins with "Of", "What", "Those" or "That": a reader would have to look for its subject.

usage: doc_comments.py ROOT (the root of the source tree)

Doc comments are comments that begin with /// or /**, and the title of a file (//===- NAME - TITLE ---===//).
"""
import os
import re
import sys

FOLDERS = ["dialect", "compiler", "runtime", "python", "tests", "bench", "examples"]
SOURCES = (".h", ".hpp", ".c", ".cpp", ".td", ".def")
TITLE = re.compile(r"//===- \S+ - (?:of|what|those|that)\b")
DOC = re.compile(r"\s*(?:///|/\*\*) ?(?:Of|What|Those|That)\b")


def check(root):
    """Returns a problem for each doc comment that begins with such a word, and the number of files."""
    problems, count = [], 0
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if not name.endswith(SOURCES):
                    continue
                count += 1
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    lines = file.read().splitlines()
                for number, line in enumerate(lines, 1):
                    # Only the first line of a comment counts, because a sentence may be wrapped before any word.
                    starts = number == 1 or not lines[number - 2].lstrip().startswith("///")
                    if TITLE.match(line) or (starts and DOC.match(line)):
                        problems.append(f"{os.path.relpath(path, root)}:{number}: the comment begins without a subject")
    return problems, count


if __name__ == "__main__":
    found, files = check(sys.argv[1])
    print("\n".join(found))
    print(f"{files} files, {len(found)} mistakes")
    sys.exit(1 if found or not files else 0)
