"""write_tensors.py FILE NAME=TYPE:LxM[:VALUE,..]...: writes a .safetensors file with a tensor NAME of type TYPE (F32,
F64, I64, I8) and shape LxM for each argument. The tensor's elements repeat the VALUEs in order, or 0, 1 and 2 if no
VALUE is given."""
import json
import math
import struct
import sys

header, data = {}, b""
for tensor in sys.argv[2:]:
    name, text = tensor.rsplit("=", 1)
    dtype, sizes, *given = text.split(":")
    values = [(float if dtype[0] == "F" else int)(value) for value in (given or ["0,1,2"])[0].split(",")]
    shape = [int(size) for size in sizes.split("x") if size]
    begin = len(data)
    code = {"F32": "<f", "F64": "<d", "I64": "<q", "I8": "<b"}[dtype]
    data += b"".join(struct.pack(code, values[i % len(values)]) for i in range(math.prod(shape)))
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
