"""Checks that each class has at most 40 members and that its functions are in at most 5 files.

usage: class_sizes.py ROOT (the root of the source tree)

A class that exceeds a limit must be split, or be listed in EXCEPTIONS with limits of its own and a reason. A listed
class that no longer exceeds the limits must be removed from the list. Members are functions and variables; a nested
type counts as a class of its own.
"""
import os
import re
import sys

MEMBERS, FILES = 40, 5
OLDER = "older than this check; must not grow: a change that adds a member must split the class"
EXCEPTIONS = {  # by name: (members, files, reason)
    "BlockVectorizer": (45, 5, OLDER),
    "Emitter": (45, 5, OLDER),
    "InactivePositions": (43, 5, OLDER),
    "LinearLowering": (47, 5, OLDER),
    "MixedGraph": (62, 5, "a function for each kind of node that a random graph may have"),
    "NodeContext": (43, 5, OLDER),
    "SizeScope": (44, 5, OLDER),
    "TileVectorizer": (42, 5, OLDER),
}

FOLDERS = ["dialect", "compiler", "runtime", "python", "tests", "bench"]
SOURCES = (".h", ".hpp", ".cpp")
# The beginning of a class definition, as opposed to a declaration, an enum, or a template parameter.
CLASS = re.compile(r"(?<!enum )(?<![<,] )(?<!<)(?<!friend )\b(?:class|struct)\s+((?:\w+::)*\w+)\s*(?:final\s*)?"
                   r"(?::[^:;{}()][^;{}]*)?\{")
# The beginning of a function defined outside of its class: the class with its namespaces, the function, its parameters.
MEMBER = re.compile(r"^(?!static |constexpr |using )[^\s#/*}{)=]+?(?: [^=\n(]*?)?\b((?:\w+::)*)(\w+)::"
                    r"(?:~?\w+|operator\s*[^\s\w]+|operator\s+[\w:]+(?: \*)?)\(", re.M)
NO_MEMBER = re.compile(r"(?:using|friend|typedef|static_assert|template\s*<[^{}]*>\s*(?:class|struct|friend)|"
                       r"class|struct|enum|union)\b")


def plain(text):
    """Removes comments, preprocessor lines and the contents of strings. The line breaks in comments remain."""
    def blank(match):
        found = match.group()
        return '""' if found.startswith('"') else "''" if found.startswith("'") else "\n" * found.count("\n")
    text = re.sub(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/',
                  blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.M)


def body(text, begin):
    """Returns the text from `begin`, which follows an opening brace, to the matching closing brace, and the position of
    the closing brace."""
    depth = 1
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin:at], at
    return text[begin:], len(text)


def without_brackets(text):
    """Removes brackets of any kind with everything inside them; a parameter list becomes "()"."""
    text = re.sub(r"->|[<>]=", "", text).replace("()", "(-)")
    for opening, closing in ("{}", "[]", "()", "<>"):
        inside = re.compile(re.escape(opening) + r"[^" + re.escape(opening + closing) + r"]*" + re.escape(closing))
        mark = "\0" if opening == "(" else ""
        while inside.search(text):
            text = inside.sub(mark, text)
    return text.replace("\0", "()")


def statements(text):
    """Yields the declarations in a class body. Each ends with a semicolon, or is a function with a body."""
    begin = depth = at = 0
    while at < len(text):
        character = text[at]
        depth += character in "(["
        depth -= character in ")]"
        if character == "{" and depth == 0:
            _, end = body(text, at + 1)
            rest = text[end + 1:].lstrip()
            # The declaration continues after the body of a type or an initial value.
            if re.match(r"[;,{]", rest) or NO_MEMBER.match(text[begin:at].strip()):
                at = end + 1
                continue
            yield text[begin:end + 1]
            begin = at = end + 1
            continue
        if character == ";" and depth == 0:
            yield text[begin:at]
            begin = at + 1
        at += 1


def members(text):
    """Returns the number of members that the body of a class declares."""
    count = 0
    for statement in statements(text):
        statement = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", "", statement).strip()
        if not statement or NO_MEMBER.match(statement):
            continue
        short = without_brackets(statement)
        is_function = "(" in short.split("=")[0]
        count += 1 if is_function else 1 + short.count(",")
    return count


def classes(text):
    """Yields the name and the number of members of each class that a text defines."""
    text = plain(text)
    for found in CLASS.finditer(text):
        yield found.group(1).split("::")[-1], members(body(text, found.end())[0])


def measure(root):
    """Returns two maps: (class, file) to the number of members, and class to the files that contain its functions."""
    found, files = {}, {}
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "data")
            for name in sorted(names):
                if not name.endswith(SOURCES):
                    continue
                file = os.path.relpath(os.path.join(path, name), root)
                with open(os.path.join(root, file), encoding="utf-8") as stream:
                    text = stream.read()
                for one, count in classes(text):
                    found[one, file] = max(count, found.get((one, file), 0))
                for one in {match.group(2) for match in MEMBER.finditer(plain(text))}:
                    files.setdefault(one, set()).add(file)
    return found, files


def check(found, files, exceptions):
    """Yields a problem for each class that exceeds its limits, and for each exception that is not needed. `found` and
    `files` are the results of measure()."""
    used = set()
    for (name, file), count in sorted(found.items(), key=lambda item: item[0][1]):
        # Functions in other files count only for a class in a header.
        spread = files.get(name, set()) if file.endswith((".h", ".hpp")) else set()
        most_members, most_files, _ = exceptions.get(name, (MEMBERS, FILES, None))
        if name in exceptions and (count > MEMBERS or len(spread) > FILES):
            used.add(name)
        if count > most_members:
            yield (f"{file}: {name} has {count} members, at most {most_members}: split it, or add it to EXCEPTIONS "
                   f"in class_sizes.py with a reason")
        if len(spread) > most_files:
            yield (f"{file}: functions of {name} lie in {len(spread)} files, at most {most_files}: split it, or add it "
                   f"to EXCEPTIONS in class_sizes.py with a reason")
    for name in sorted(set(exceptions) - used):
        yield f"{name}: needs no exception in class_sizes.py any more"


def main(root):
    found, files = measure(root)
    problems = list(check(found, files, EXCEPTIONS))
    print("\n".join(problems + [f"{len(found)} classes, {len(EXCEPTIONS)} larger ones for a reason, "
                                f"{len(problems)} mistakes"]))
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
