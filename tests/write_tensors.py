"""write_tensors.py FILE NAME=TYPE:LxM[:VALUE]...: writes a .safetensors file with tensors of these shapes, filled with VALUE,
or with 0, 1, 2, 0, 1, ..."""
import json
import math
import struct
import sys

header, data = {}, b""
for tensor in sys.argv[2:]:
    name, text = tensor.rsplit("=", 1)
    dtype, sizes, *value = text.split(":")
    shape = [int(size) for size in sizes.split("x") if size]
    begin = len(data)
    data += b"".join(struct.pack({"F32": "<f", "F64": "<d", "I64": "<q", "I8": "<b"}[dtype],
                                 (float if dtype[0] == "F" else int)(*value) if value else i % 3) for i in range(math.prod(shape)))
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
