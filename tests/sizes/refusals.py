"""Checks whether heddle's message for a rejected model contains what a user needs to change the model."""
import re

# A message of MLIR's verifier or of a failed conversion, or a fatal error of LLVM, means that heddle should have
# rejected the model earlier.
BROKEN = re.compile(r"the importer built an invalid module|failed to (verify|legalize)|LLVM ERROR")


def lacks(text, nodes, sizes):
    """Returns a list of what the message `text` lacks: "node" if it names none of `nodes`, and "two sizes" if it does
    not contain two values of sizes, such as s=4 and s=7. `sizes` are the names of the sizes."""
    missing = []
    if not any(re.search(rf"(?<![\w.]){re.escape(node)}(?![\w.])", text) for node in nodes):
        missing.append("node")
    found = {match.group() for name in sizes for match in re.finditer(rf"(?<!\w){name} ?= ?\d+(?!\w|\.\.)", text)}
    if len(found) < 2:
        missing.append("two sizes")
    return missing


def group_of(text):
    """Returns the text with N for numbers and NODE for names of nodes, so that equal errors have equal texts."""
    return re.sub(r"\d+", "N", re.sub(r"\b[A-Z][A-Za-z]*_\d+\b", "NODE", text))
