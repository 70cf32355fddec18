"""fill_tensor.py FILE TENSOR VALUE: sets all elements of an f32 tensor in a .safetensors file to VALUE."""
import json
import struct
import sys

path, tensor, value = sys.argv[1:]
with open(path, "r+b") as file:
    size, = struct.unpack("<Q", file.read(8))
    entry = json.loads(file.read(size))[tensor]
    assert entry["dtype"] == "F32"
    begin, end = entry["data_offsets"]
    file.seek(8 + size + begin)
    file.write(struct.pack("<f", float(value)) * ((end - begin) // 4))
