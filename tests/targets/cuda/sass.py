"""Examines the loops in the machine code of NVIDIA's GPUs, read from cubins without a disassembler.

An instruction has 128 bits, of which the low twelve are its opcode. Branches hold a distance from the next instruction
in units of four bytes, in bits 34 to 81; from compute capability 9.0 on, bits 16 to 23 hold its low part.
"""
import struct

BRANCHES = 0x947, 0x547  # the second if the condition is the same for all threads
LOCAL = 0x983, 0x387  # loads and stores


def sections(cubin):
    """(name, bytes) of each section of a 64-bit ELF file."""
    start, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(count)]
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        yield cubin[at:cubin.index(b"\0", at)].decode(), cubin[offset:offset + length]


def distance(low, high, architecture):
    """The distance in instructions, from the next one."""
    value = low >> 34 | (high & 0x3FFFF) << 30
    value -= value >> 47 << 48
    if architecture >= 90:
        value = value << 8 | low >> 16 & 0xFF
    return value // 4


def local_accesses_in_loops(code, architecture):
    """The number of instructions between a backward branch and its target that load or store spilled values."""
    words = list(struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]))
    inside = set()
    for i, word in enumerate(words):
        if word[0] & 0xFFF in BRANCHES:
            inside.update(range(i + 1 + distance(*word, architecture), i + 1))
    return sum(words[i][0] & 0xFFF in LOCAL for i in inside)


def check(cubin, architecture):
    """(kernel, number of such instructions) of every kernel that has some."""
    for name, code in sections(cubin):
        if name.startswith(".text."):
            if count := local_accesses_in_loops(code, architecture):
                yield name[len(".text."):], count
