"""Finds loops, and loops that access spilled values, in machine code of NVIDIA's GPUs (SASS). The code is read, without a
disassembler, from a cubin, the ELF file that ptxas writes.

An instruction has 128 bits. The low twelve bits are its opcode. Bits 34 to 81 of a branch are the distance from the
next instruction, in units of four bytes. From compute capability 9.0 on, bits 16 to 23 are eight more low bits of the
distance.
"""
import struct

BRANCHES = 0x947, 0x547  # opcodes; the second one is a branch whose condition is equal in all threads
LOCAL = 0x983, 0x387  # loads and stores of local memory


def sections(cubin):
    """Yields (name, bytes) for each section of a 64-bit ELF file."""
    start, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(count)]
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        yield cubin[at:cubin.index(b"\0", at)].decode(), cubin[offset:offset + length]


def distance(low, high, architecture):
    """Returns the distance of a branch from the next instruction, in instructions. `low` and `high` are the halves of
    the branch, and `architecture` is the compute capability times ten."""
    value = low >> 34 | (high & 0x3FFFF) << 30
    value -= value >> 47 << 48
    if architecture >= 90:
        value = value << 8 | low >> 16 & 0xFF
    return value // 4


def loops(code, architecture):
    """Yields the instructions of each loop, from the target of a backward branch to the branch, as pairs of the halves
    of an instruction. `code` is a section of instructions."""
    words = list(struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]))
    for i, word in enumerate(words):
        if word[0] & 0xFFF in BRANCHES and (start := i + 1 + distance(*word, architecture)) <= i:
            if start < i:  # a branch to itself follows the end of the kernel
                yield words[start:i + 1]


def local_accesses_in_loops(code, architecture):
    """Returns the number of loads and stores of spilled values between backward branches and their targets. `code` is a
    section of instructions."""
    words = list(struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]))
    inside = set()
    for i, word in enumerate(words):
        if word[0] & 0xFFF in BRANCHES:
            inside.update(range(i + 1 + distance(*word, architecture), i + 1))
    return sum(words[i][0] & 0xFFF in LOCAL for i in inside)


def check(cubin, architecture):
    """Yields (kernel, number of spill accesses in loops) for every kernel that has some."""
    for name, code in sections(cubin):
        if name.startswith(".text."):
            if count := local_accesses_in_loops(code, architecture):
                yield name[len(".text."):], count
