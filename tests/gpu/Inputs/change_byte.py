"""change_byte.py FILE: flips the sign of the last f32 element."""
import sys

with open(sys.argv[1], "r+b") as file:
    file.seek(-1, 2)
    byte = file.read(1)[0]
    file.seek(-1, 2)
    file.write(bytes([byte ^ 0x80]))
