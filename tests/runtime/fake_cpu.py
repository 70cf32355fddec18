"""Lets a program decide what generated code finds when it detects the features of an x86-64 CPU.

usage: fake_cpu.py IN OUT

Reads LLVM IR, replaces CPUID, XGETBV and system calls by calls of functions of the program, and writes the result. The
functions are

    void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]); /* eax, ebx, ecx, edx */
    uint32_t fake_xgetbv(uint32_t number);
    int64_t fake_system_call(int64_t number, int64_t first, int64_t second);
"""
import re
import sys

# In LLVM IR, CPUID and XGETBV return structs. C functions return structs in other registers than functions of LLVM IR
# do, so wrappers in LLVM IR create the structs from the results of the C functions.
CALLED = """
declare void @fake_cpuid(i32, i32, ptr)
declare i32 @fake_xgetbv(i32)
declare i64 @fake_system_call(i64, i64, i64)
define internal { i32, i32, i32, i32 } @replaced_cpuid(i32 %leaf, i32 %subleaf) {
  %values = alloca { i32, i32, i32, i32 }
  call void @fake_cpuid(i32 %leaf, i32 %subleaf, ptr %values)
  %all = load { i32, i32, i32, i32 }, ptr %values
  ret { i32, i32, i32, i32 } %all
}
define internal { i32, i32 } @replaced_xgetbv(i32 %number) {
  %low = call i32 @fake_xgetbv(i32 %number)
  %all = insertvalue { i32, i32 } zeroinitializer, i32 %low, 0
  ret { i32, i32 } %all
}
"""


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for instruction, function in [("cpuid", "replaced_cpuid"), ("xgetbv", "replaced_xgetbv"),
                                  ("syscall", "fake_system_call")]:
        text, count = re.subn(rf'asm sideeffect "{instruction}", "[^"]*"', f"@{function}", text)
        if not count:
            sys.exit(f"{sys.argv[1]}: expected the instruction {instruction}")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(re.sub(r"(@(?:replaced_\w+|fake_system_call)\([^)]*\)) #\d+", r"\1", text) + CALLED)


main()
