"""What heddle says where it refuses a model: is it enough to know what to change?"""
import re

# A sentence of MLIR's verifier means that heddle made something wrong, which it should have refused before.
BROKEN = re.compile(r"the importer made an invalid module|failed to (verify|legalize)|LLVM ERROR")


def lacks(text, nodes, sizes):
    """What a refusal leaves out: the name of a node, and two choices of sizes at which the node differs."""
    missing = []
    if not any(re.search(rf"(?<![\w.]){re.escape(node)}(?![\w.])", text) for node in nodes):
        missing.append("node")
    found = {match.group() for name in sizes for match in re.finditer(rf"(?<!\w){name} ?= ?\d+(?!\w|\.\.)", text)}
    if len(found) < 2:
        missing.append("two sizes")
    return missing


def group_of(text):
    """The text without what differs from case to case."""
    return re.sub(r"\d+", "N", re.sub(r"\b[A-Z][A-Za-z]*_\d+\b", "NODE", text))
