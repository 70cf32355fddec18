"""Checks links and commands in the Markdown documents, and the README.

usage: docs.py ROOT HEDDLE

ROOT is the root of the source tree. The target of each link must exist: a file and, after a #, a heading in it. If an
indented line of a document shows a command, `$ heddle COMMAND ...` or `heddle COMMAND ...`, the program HEDDLE must
have COMMAND and its options. The C program in README.md must equal the program of the first example, and README.md may
have at most README_LINES lines.
"""
import os
import re
import shlex
import subprocess
import sys

EXAMPLE = "examples/01-sentence-embedding-in-c/main.c"
README_LINES = 180


def documents(root):
    """Yields the path below ROOT and the text of each document outside of build folders and folders named data."""
    for path, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "data")
        for name in sorted(names):
            if name.endswith(".md"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    yield os.path.relpath(os.path.join(path, name), root), file.read()


def anchors(text):
    """Returns the anchors of all headings in the text, as links write them after the #."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    return {re.sub(r"[^\w -]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", title).lower()).replace(" ", "-") for title in titles}


def broken_links(root, texts):
    """Yields a problem for each link without a target. `texts` maps the paths of documents to their texts."""
    for name, text in texts.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)):
            file, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), file)) if file else name
            if not os.path.exists(os.path.join(root, path)):
                yield f"{name}: {target}: there is no such file"
            elif anchor and anchor not in anchors(texts.get(path, "")):
                yield f"{name}: {target}: there is no such heading"


def shown_commands(text):
    """Yields the words of each command that a document shows, without the word heddle."""
    for line in re.findall(r"^    (?:\$ )?heddle ((?:.*\\\n)*.*)$", text, re.M):
        yield shlex.split(line.replace("\\\n", " "), comments=True)


def unknown_options(heddle, texts):
    """Yields a problem for each command or option in a document that the program lacks, according to its --help."""
    known = {}  # options by command
    for name, text in texts.items():
        for command, *words in shown_commands(text):
            if command not in known:
                run = subprocess.run([heddle, command, "--help"], capture_output=True, text=True)
                known[command] = None if run.returncode else set(
                    re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"\n\nExample:.*", "", run.stdout, flags=re.S)))
            if known[command] is None:
                yield f"{name}: there is no command 'heddle {command}'"
                continue
            for word in words:
                option = re.match(r"--?[a-z][a-z-]*", word)
                if option and option.group() not in known[command]:
                    yield f"{name}: 'heddle {command}' has no option {option.group()}"


def wrong_readme(root, text):
    """Yields the problems of the text of README.md."""
    lines = text.count("\n")
    if lines > README_LINES:
        yield f"README.md: {lines} lines, at most {README_LINES}"
    with open(os.path.join(root, EXAMPLE), encoding="utf-8") as file:
        if re.findall(r"```c\n(.*?)```", text, re.S) != [file.read()]:
            yield f"README.md: its program is not {EXAMPLE}"


def main(root, heddle):
    texts = dict(documents(root))
    problems = [*broken_links(root, texts), *unknown_options(heddle, texts), *wrong_readme(root, texts["README.md"])]
    commands = sum(len(list(shown_commands(text))) for text in texts.values())
    print("\n".join(problems + [f"{len(texts)} documents, {commands} commands, {len(problems)} mistakes"]))
    return 1 if problems or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
