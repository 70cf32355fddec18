"""Writes GGUF files for tests (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md)."""
import struct

import numpy as np

# The numbers of types in the file.
STRING, ARRAY, FLOAT, UINT32, BOOL = 8, 9, 6, 4, 7
ALIGNMENT = 32


def text(value):
    content = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(content)) + content


def value(entry):
    """Returns the type of a value and its bytes. A list contains texts, or numbers, which are written as i32 or f32."""
    if isinstance(entry, bool):
        return BOOL, struct.pack("<B", entry)
    if isinstance(entry, int):
        return UINT32, struct.pack("<I", entry)
    if isinstance(entry, float):
        return FLOAT, struct.pack("<f", entry)
    if isinstance(entry, (str, bytes)):
        return STRING, text(entry)
    if entry and isinstance(entry[0], (str, bytes)):
        return ARRAY, struct.pack("<IQ", STRING, len(entry)) + b"".join(text(one) for one in entry)
    array = np.array(entry)
    kind, dtype = (FLOAT, "<f4") if array.dtype.kind == "f" else (5, "<i4")
    return ARRAY, struct.pack("<IQ", kind, len(array)) + array.astype(dtype).tobytes()


def content(keys, tensors=None, version=3):
    """Returns the bytes of a file with these keys, and with these tensors of f32."""
    tensors = tensors or {}
    parts = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(keys))]
    for key, entry in keys.items():
        kind, data = value(entry)
        parts += [text(key), struct.pack("<I", kind), data]
    at, blocks = 0, []
    for name, array in tensors.items():
        array = np.ascontiguousarray(array, np.float32)
        parts += [text(name), struct.pack("<I", array.ndim), *(struct.pack("<Q", n) for n in reversed(array.shape)),
                  struct.pack("<IQ", 0, at)]
        block = array.tobytes() + b"\0" * (-array.nbytes % ALIGNMENT)
        at += len(block)
        blocks.append(block)
    header = b"".join(parts)
    return header + b"\0" * (-len(header) % ALIGNMENT) + b"".join(blocks)


def write(path, keys, tensors=None, version=3):
    path.write_bytes(content(keys, tensors, version))
    return path
