"""Checks that names of earlier versions are not used again.

usage: retired_names.py ROOT (the root of the source tree)

In C, C++ and TableGen files, the check searches code, strings, and the text between backquotes in comments for retired
names. In all other files, it searches the whole text. dialect/README.md has a table of these names.
"""
import fnmatch
import os
import re
import sys

FOLDERS = ["cmake", "dialect", "compiler", "runtime", "python", "tests", "examples", "bench"]
SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".def", ".td", ".mlir", ".test", ".py", "CMakeLists.txt")

# Retired names. Only whole words match.
NAMES = """
abreast abreastLimit getAbreast aheadCache ahead_cache arenaFrameSize askForStreaming askOfPage atStands bringingTiles
chooseSquare chooseSquares chooseStands ChooseStands countExact emitExact emitFollowers emitFrame emitGivenSteps emitOrdinary
emitRowSteps emitStepsOf emitTensorSteps endKept exact_columns exact_numbers exact_rows exactOf exactRows exactWeight
ExactColumns ExtractColumns findExactColumns firstKept followersOf BlockFollowers ForDots emitForDots isForDots FunctionOpener
getExact getExactColumns getExactNumbers getExactRows getFrameType getModelMark getOrdinaryInputs getStateMark hasWhole
importAsTold isJudgeable isLoose isOnlyJudged isOrdinary isRowsOrdinary judgingBytes LaunchNotes leastStands leaveOpen
mostStands openSizes OpenSizes ordinaryInputs readAhead ReadsAhead RowSteps setExactRows SizesOpened spoilArena Standing
standingFor StandRules standsAlone standsFor standsForFactor state_whole stateWhole staysOrdinary takeExactColumns
turnedSquare whyNoColumns wideDestination wideSource writeLaunchNote
""".split()
PATTERNS = [r"heddle\.ahead", r"notes::ahead", r"heddle-extract-columns", r"AttentionOp::Sizes", r"Quantization::Format",
            r"\bmost[A-Z]\w*", r"\bleast[A-Z]\w*", r"\bstands = \d", r"(?:i8|f16|x \d+|\d\],) exact ?\[\d+(?:,|\]>)"]
RETIRED = re.compile(r"(?<![\w-])(?:" + "|".join(NAMES) + r")(?!\w)|" + "|".join(PATTERNS))
ALLOWED_NAMES = {"mostCapable", "mostOthers", "mostSquares"}

# Files that may contain retired names, and the reason.
ALLOWED = {
    "compiler/support/KnobNames.cpp": "the table of aliases",
    "tests/cli/renamed-knobs.test": "the test of these aliases",
    "tests/checks/*": "the list of retired names",
    "bench/results/*": "results of earlier versions",
    "tests/data/huggingface/*": "files with names of other projects",
}


def files(root):
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "build")))
            for name in sorted(names):
                file = os.path.relpath(os.path.join(path, name), root)
                if name.endswith(SUFFIXES) and not any(fnmatch.fnmatchcase(file, allowed) for allowed in ALLOWED):
                    yield file


def retired(line, is_code_language):
    """Returns the first retired name in a line, or None. If `is_code_language` is true, the line may contain a comment
    of C or C++, in which only names between backquotes count."""
    comment = re.search(r"(?:^|\s)(?://|/\*|\* )(?!\s*(?:RUN|[A-Z-]+:|expected-)).*$", line) if is_code_language else None
    if comment:
        line = line[:comment.start()] + " " + " ".join(re.findall(r"`[^`]*`", comment.group()))
    return next((m.group() for m in RETIRED.finditer(line) if m.group() not in ALLOWED_NAMES), None)


def check(root):
    """Returns a problem for each line with a retired name, and the number of files."""
    problems, count = [], 0
    for file in files(root):
        with open(os.path.join(root, file), encoding="utf-8") as text:
            lines = text.read().split("\n")
        count += 1
        is_code_language = file.endswith((".h", ".hpp", ".c", ".cpp", ".td", ".def"))
        for number, line in enumerate(lines, 1):
            if name := retired(line, is_code_language):
                problems.append(f"{file}:{number}: {name} is a name of earlier versions: see the table in dialect/README.md")
    return problems, count


def main(root):
    problems, count = check(root)
    print("\n".join(problems + [f"{count} files, {len(problems)} mistakes"]))
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
