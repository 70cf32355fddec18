"""Hashes everything that a compiled library depends on: the contents of files (of the model, of strategies, and of
inputs for calibration), the options, the compiler and the CPU."""
from __future__ import annotations

import hashlib
import mmap
import os
import pathlib
import platform
import re
from typing import Iterable, Iterator, Sequence, Tuple

# An entry for external data in an .onnx file: the key "location", and the length of the value, a varint of one or two
# bytes. The value follows.
_LOCATION = re.compile(rb"\x0a\x08location\x12(?:([\x01-\x7f])|([\x80-\xff][\x01-\x7f]))", re.S)
# The names of files that only configure the processing of text begin with these words. tokenizer.json is not such a
# file, since for `least_cosine` the compiler reads from it the special tokens that are added to each text.
_OF_TEXT = ("tokenizer_config", "vocab", "special_tokens", "sentence_bert_config", "config_sentence_transformers")
# The attribute of an .mlir module that lists its files of weights.
_WEIGHT_FILES = re.compile(r"heddle\.weight_files\s*=\s*\[([^\]]*)\]")
# The end of the name of the first shard of a GGUF model: the first number of the name is that of the shard.
_FIRST_SHARD = re.compile(r"-00001(-of-\d{5}\.gguf)$")


def _external_data(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the files with external data of an .onnx file."""
    if path.stat().st_size == 0:
        return
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        names = set()
        for match in _LOCATION.finditer(content):
            length = match[1][0] if match[1] else (match[2][0] & 0x7F) | match[2][1] << 7
            names.add(content[match.end():match.end() + length])
    for name in sorted(names):
        yield path.parent / os.fsdecode(name)


def _weight_files(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the files of weights that an .mlir file lists."""
    listed = _WEIGHT_FILES.search(path.read_text(encoding="utf-8", errors="replace"))
    for name in re.findall(r'"([^"]*)"', listed[1]) if listed else ():
        yield path.parent / name


def _shards(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the shards of a GGUF model after the first."""
    end = _FIRST_SHARD.search(path.name)
    if not end:
        return
    name = re.compile(re.escape(path.name[:end.start()]) + r"-\d{5}" + re.escape(end[1]))
    yield from sorted(file for file in path.parent.iterdir() if name.fullmatch(file.name) and file.name != path.name)


def _directory(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the .json and .safetensors files in a directory and in its folders, such as those of
    sentence-transformers' modules, except the files that only configure the processing of text."""
    for folder in [path, *sorted(p for p in path.iterdir() if p.is_dir())]:
        for file in sorted(folder.iterdir()):
            if file.suffix in (".json", ".safetensors") and not file.name.startswith(_OF_TEXT):
                yield file


def model_files(model: str) -> Iterable[pathlib.Path]:
    """Returns the files that a model is read from; none for a quoted operation."""
    path = pathlib.Path(model)
    if os.path.isdir(model):
        return list(_directory(path))
    if not os.path.isfile(model):  # a quoted operation; unlike Path.is_file, isfile accepts a text of any length
        return []
    more = {".onnx": _external_data, ".mlir": _weight_files, ".gguf": _shards}.get(path.suffix)
    return [path, *(more(path) if more else ())]


def strategy_files(strategies: Sequence[str]) -> Iterator[pathlib.Path]:
    """Yields the files in the strategies, which are texts OP=FILE or OP=FILE:knob=value. Texts that name no existing
    file are skipped."""
    for text in strategies:
        name = text.partition("=")[2]
        for candidate in (name, name.partition(":")[0]):
            if os.path.isfile(candidate):
                yield pathlib.Path(candidate)
                break


def cpu() -> str:
    """Describes the properties of this machine's CPU that native code depends on."""
    facts = [platform.machine()]
    fields = ("vendor_id", "cpu family", "model", "model name", "flags", "CPU implementer", "CPU part", "Features")
    try:
        first = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return facts[0]
    return "\n".join(facts + [line for line in first.splitlines() if line.partition(":")[0].strip() in fields])


def fingerprint(texts: Sequence[str], files: Iterable[pathlib.Path]) -> str:
    """Returns a hash of the texts, and of the names and contents of the files."""
    digest = hashlib.sha256()

    def add(kind: bytes, content: bytes) -> None:
        digest.update(kind + len(content).to_bytes(8, "little") + content)

    for text in texts:
        add(b"t", text.encode("utf-8", "surrogateescape"))
    for file in files:
        add(b"n", os.fsencode(file.name))
        add(b"c", _content(file))
    return digest.hexdigest()


def _content(file: pathlib.Path) -> bytes:
    """Returns the hash of a file's content, or of the reason why the file cannot be read."""
    try:
        return content_hash(file)
    except OSError as reason:  # the compiler reports the reason
        return hashlib.sha256(str(reason.errno).encode()).digest()


def content_hash(file: pathlib.Path) -> bytes:
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        for piece in iter(lambda: stream.read(1 << 22), b""):
            digest.update(piece)
    return digest.digest()


def describe(files: Iterable[pathlib.Path]) -> Iterator[Tuple[str, int]]:
    """Yields the names and sizes of files (0 for a missing file). The cache stores them for people who inspect it."""
    for file in files:
        yield file.name, file.stat().st_size if file.exists() else 0
