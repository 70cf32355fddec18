"""print_tensor.py FILE NAME: prints the float32 numbers of a tensor in a .safetensors file."""
import json
import struct
import sys

with open(sys.argv[1], "rb") as file:
    length = struct.unpack("<Q", file.read(8))[0]
    header, data = json.loads(file.read(length)), file.read()
begin, end = header[sys.argv[2]]["data_offsets"]
print(*struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]))
