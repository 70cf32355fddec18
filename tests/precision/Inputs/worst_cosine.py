"""worst_cosine.py FILE OTHER TENSOR LEAST: compares the rows of a tensor in two .safetensors files. Prints the smallest
and the median cosine of corresponding rows, and exits with status 1 if the smallest cosine is less than LEAST."""
import json
import math
import struct
import sys


def rows(path, name):
    """Returns the rows of an f32 tensor, along its last dimension."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        entry = json.loads(file.read(size))[name]
        begin, end = entry["data_offsets"]
        file.seek(8 + size + begin)
        numbers = struct.unpack(f"<{(end - begin) // 4}f", file.read(end - begin))
    width = entry["shape"][-1]
    return [numbers[at:at + width] for at in range(0, len(numbers), width)]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


file, other, tensor, least = sys.argv[1:]
found = sorted(cosine(a, b) for a, b in zip(rows(file, tensor), rows(other, tensor), strict=True))
print(f"worst {found[0]:.6f} median {found[len(found) // 2]:.6f}")
sys.exit(0 if found[0] >= float(least) else 1)
