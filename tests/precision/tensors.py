"""Reads and writes .safetensors files, as plain lists of numbers."""
import json
import struct

# The code of each element type in the module struct.
CODES = {"F32": "f", "I64": "q", "I32": "i", "BF16": "H", "F16": "e", "BOOL": "?"}


class Tensor:
    """A shape, and elements in row-major order. A bf16 element is stored as the integer with the same bits."""

    def __init__(self, shape, numbers, dtype="F32"):
        self.shape, self.numbers, self.dtype = list(shape), list(numbers), dtype

    def rows(self):
        """Returns the rows along the last dimension."""
        width = self.shape[-1] if self.shape else 1
        return [self.numbers[at:at + width] for at in range(0, len(self.numbers), width)]

    def part(self, begin, end):
        """Returns the entries begin to end - 1 of the first dimension as a tensor."""
        each = len(self.numbers) // self.shape[0]
        return Tensor([end - begin, *self.shape[1:]], self.numbers[begin * each:end * each], self.dtype)

    def bytes(self):
        """Returns the elements as little-endian bytes."""
        return struct.pack(f"<{len(self.numbers)}{CODES[self.dtype]}", *self.numbers)


def read(path):
    """Returns the tensors of a file by name."""
    with open(path, "rb") as file:
        content = file.read()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8:begin]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        code = CODES[entry["dtype"]]
        count = (last - first) // struct.calcsize(code)
        numbers = struct.unpack(f"<{count}{code}", content[begin + first:begin + last])
        tensors[name] = Tensor(entry["shape"], numbers, entry["dtype"])
    return tensors


def write(path, tensors):
    """Writes a file with these tensors, a dictionary from names to tensors."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.bytes()
        offsets = [len(data), len(data) + len(part)]
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets}
        data += part
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
