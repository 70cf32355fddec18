"""change_byte.py FILE: flips the sign of the last element of a .safetensors file whose last tensor is f32."""
import sys

with open(sys.argv[1], "r+b") as file:
    file.seek(-1, 2)
    byte = file.read(1)[0]
    file.seek(-1, 2)
    file.write(bytes([byte ^ 0x80]))
