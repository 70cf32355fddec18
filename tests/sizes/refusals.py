"""Checks whether the message with which heddle rejects a model tells a user what to change."""
import re

# A message of MLIR's verifier means that heddle built an invalid module for a model that it should have rejected
# earlier.
BROKEN = re.compile(r"the importer made an invalid module|failed to (verify|legalize)|LLVM ERROR")


def lacks(text, nodes, sizes):
    """Returns what the message lacks: the name of a node, or two combinations of sizes at which the node differs."""
    missing = []
    if not any(re.search(rf"(?<![\w.]){re.escape(node)}(?![\w.])", text) for node in nodes):
        missing.append("node")
    found = {match.group() for name in sizes for match in re.finditer(rf"(?<!\w){name} ?= ?\d+(?!\w|\.\.)", text)}
    if len(found) < 2:
        missing.append("two sizes")
    return missing


def group_of(text):
    """Returns the text without the parts that differ from case to case."""
    return re.sub(r"\d+", "N", re.sub(r"\b[A-Z][A-Za-z]*_\d+\b", "NODE", text))
