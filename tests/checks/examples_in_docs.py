"""Checks that heddle-opt accepts each example in OPS.md.

usage: examples_in_docs.py HEDDLE_OPT OPS.md

An example is a block of language mlir. It contains a function, or one operation whose operands are not defined. Such an
operation is put into a function whose arguments are the operands. The types of the operands are read from the end of
the operation's text.
"""
import re
import subprocess
import sys


def function_around(example):
    """Returns a function that contains the example."""
    if example.startswith("func.func"):
        return example
    operands = dict.fromkeys(re.findall(r"%\w+", example.split("=", 1)[1]))
    signature = re.search(r" : \((.*?)\)\s*->", example, re.S)
    # The type of an operand that is used twice is listed twice; a single type applies to all operands.
    used = re.findall(r"%\w+", example.split("=", 1)[1])
    types = re.findall(r"[\w!.]+<[^>]*>", signature.group(1) if signature else example.rsplit(" : ", 1)[-1] * len(used))
    type_of = dict(zip(used, types))
    arguments = ", ".join(f"{name}: {type_of[name]}" for name in operands)
    return f"func.func @example({arguments}) {{\n{example}\nreturn\n}}\n"


def main(heddle_opt, document):
    text = open(document, encoding="utf-8").read()
    examples = re.findall(r"```mlir\n(.*?)```", text, re.S)
    failures = 0
    for example in examples:
        run = subprocess.run([heddle_opt], input=function_around(example), text=True, capture_output=True)
        name = re.search(r"heddle\.\w+", example).group()
        if run.returncode:
            print(f"{name}: the example is not accepted:\n{example}{run.stderr}")
            failures += 1
    print(f"{len(examples)} examples, {failures} not accepted")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
