"""Checks that a type in an unnamed namespace does not share its name with a type that a header of the same folder
declares.

usage: local_types.py ROOT (the root of the source tree)

Unity builds compile several files as one. If one of these files includes the header, the header's type hides the type
in the unnamed namespace in all functions of namespace heddle. If both types have the same interface, the compiler
reports no error.
"""
import os
import re
import sys

FOLDERS = ["dialect", "compiler"]
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}(?!;)", re.M | re.S)
TYPE = re.compile(r"^(?:struct|class) (\w+)\b(?! *;)", re.M)


def check(root):
    """Returns a problem for each type with the name of a header's type, and the number of types that were checked."""
    problems, count = [], 0
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            texts = {}
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        texts[name] = file.read()
            shared = {found: name for name, text in texts.items() if name.endswith(".h") for found in TYPE.findall(text)}
            for name, text in texts.items():
                for part in UNNAMED.findall(text) if name.endswith(".cpp") else []:
                    for found in TYPE.findall(part):
                        count += 1
                        if found in shared:
                            problems.append(f"{os.path.relpath(os.path.join(folder, name), root)}: {found} is also "
                                            f"a type of {shared[found]}")
    return problems, count


if __name__ == "__main__":
    found, types = check(sys.argv[1])
    print("\n".join(found))
    print(f"{types} types, {len(found)} mistakes")
    sys.exit(1 if found or not types else 0)
