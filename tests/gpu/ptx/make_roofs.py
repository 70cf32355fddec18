"""make_roofs.py: writes the text of roofs.ptx to stdout. With the kernels in roofs.ptx, runner/roofs.c measures the
maximum rates of a device. Each kernel does work of one kind only. runner/roofs.c repeats the amount of work of each
kernel, so a change of an amount must be made in both files."""

HEADER = """// Written by make_roofs.py. Each kernel does work of one kind only, in workgroups of 128 threads (`empty`: 32).
.version 7.0
.target sm_80
.address_size 64
"""


def kernel(name, parameters, body, threads=128):
    """Returns the text of a kernel. `parameters` has one letter for each pointer, and `body` is a list of lines."""
    signature = ", ".join(f".param .u64 {p}" for p in parameters)
    lines = "\n".join("  " + line for line in body)
    return f"\n.visible .entry {name}({signature})\n.maxntid {threads}, 1, 1\n{{\n{lines}\n}}\n"


def registers(**kinds):
    """Returns declarations of registers. The arguments are TYPE=(PREFIX, COUNT)."""
    return [f".reg .{kind} %{prefix}<{count}>;" for kind, (prefix, count) in kinds.items()]


def place(address, each):
    """Returns instructions that load the pointer `address` into %rd2 and set %rd3 to the address of the first 16 bytes
    that this thread accesses. Each workgroup accesses `each` bytes, after those of the workgroups before it."""
    return [f"ld.param.u64 %rd1, [{address}];", "cvta.to.global.u64 %rd2, %rd1;", "mov.u32 %r1, %ctaid.x;",
            "mov.u32 %r2, %tid.x;", f"mul.wide.u32 %rd4, %r1, {each};", "add.u64 %rd3, %rd2, %rd4;",
            "mul.wide.u32 %rd4, %r2, 16;", "add.u64 %rd3, %rd3, %rd4;"]


def vector(i):
    """Returns the i-th group of four f32 registers."""
    return "{" + ", ".join(f"%f{4 * i + j}" for j in range(4)) + "}"


EACH = 128 * 16 * 16  # bytes that a workgroup copies or reads: 16 vectors of 16 bytes for each of its 128 threads


def copy():
    body = registers(u32=("r", 3), u64=("rd", 9), f32=("f", 64)) + place("a", EACH)
    body += ["ld.param.u64 %rd5, [b];", "cvta.to.global.u64 %rd6, %rd5;", "sub.u64 %rd7, %rd3, %rd2;",
             "add.u64 %rd8, %rd6, %rd7;"]
    body += [f"ld.global.v4.f32 {vector(i)}, [%rd3+{2048 * i}];" for i in range(16)]
    body += [f"st.global.v4.f32 [%rd8+{2048 * i}], {vector(i)};" for i in range(16)]
    return kernel("copy", "ab", body + ["ret;"])


def read():
    body = registers(u32=("r", 3), u64=("rd", 8), f32=("f", 65), pred=("p", 2)) + place("a", EACH)
    body += [f"ld.global.v4.f32 {vector(i)}, [%rd3+{2048 * i}];" for i in range(16)]
    body += ["mov.f32 %f64, 0f00000000;"] + [f"add.f32 %f64, %f64, %f{i};" for i in range(64)]
    # roofs.c fills the buffer with zeros, so the kernel stores nothing. ptxas cannot prove this, so it keeps the loads.
    body += ["setp.neu.f32 %p1, %f64, 0f00000000;", "ld.param.u64 %rd5, [b];", "cvta.to.global.u64 %rd6, %rd5;",
             "@%p1 st.global.f32 [%rd6], %f64;", "ret;"]
    return kernel("read", "ab", body)


def fma():
    """Each thread computes 8 independent chains of 4096 multiply-adds, which are 2 * 8 * 4096 operations."""
    body = registers(u32=("r", 4), u64=("rd", 6), f32=("f", 11), pred=("p", 2)) + place("a", 2048)
    body += [f"ld.global.f32 %f{i}, [%rd3+{4 * (i % 4)}];" for i in range(10)] + ["mov.u32 %r3, 0;", "again:"]
    body += [f"fma.rn.f32 %f{chain}, %f{chain}, %f8, %f9;" for _ in range(16) for chain in range(8)]
    body += ["add.u32 %r3, %r3, 16;", "setp.lt.u32 %p1, %r3, 4096;", "@%p1 bra again;", "mov.f32 %f10, 0f00000000;"]
    body += [f"add.f32 %f10, %f10, %f{i};" for i in range(8)]
    return kernel("fma", "a", body + ["st.global.f32 [%rd3], %f10;", "ret;"])


def mma():
    """Each warp computes 1024 iterations with 8 products of 16 x 8 x 16, which are 1024 * 8 * 4096 operations."""
    body = registers(b32=("r", 10), u64=("rd", 6), f32=("f", 33), pred=("p", 2)) + place("a", 2048)
    body += [f"ld.global.u32 %r{4 + i}, [%rd3+{4 * (i % 4)}];" for i in range(6)]
    body += [f"mov.f32 %f{i}, 0f00000000;" for i in range(33)] + ["mov.u32 %r3, 0;", "again:"]
    body += [f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {vector(i)}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}}, "
             f"{vector(i)};" for i in range(8)]
    body += ["add.u32 %r3, %r3, 1;", "setp.lt.u32 %p1, %r3, 1024;", "@%p1 bra again;"]
    body += [f"add.f32 %f32, %f32, %f{i};" for i in range(32)]
    return kernel("mma", "a", body + ["st.global.f32 [%rd3], %f32;", "ret;"])


def main():
    return HEADER + kernel("empty", "a", ["ret;"], threads=32) + copy() + read() + fma() + mma()


if __name__ == "__main__":
    print(main(), end="")
