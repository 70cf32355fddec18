"""Checks that the headers of libraries compile for any names of sizes, inputs and outputs, whether they are included
before or after the headers of C and POSIX.

usage: header_names.py HEDDLE CC CXX FOLDER

CC and CXX are the compilers for C and C++. FOLDER is a folder for files. First, each macro of the headers of C and
POSIX is the name of an input and of a size. Then names are chosen randomly among macros, keywords, names that headers
of Heddle define, unusual texts, and names that are similar to each other.
"""
import os
import random
import re
import subprocess
import sys

HEADERS = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype aio arpa/inet
    cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue net/if netdb netinet/in
    netinet/tcp nl_types poll pthread pwd regex sched search semaphore spawn strings sys/ipc sys/mman sys/msg sys/param
    sys/resource sys/select sys/sem sys/shm sys/socket sys/stat sys/statvfs sys/sysmacros sys/time sys/times sys/types
    sys/uio sys/un sys/utsname sys/wait syslog tar termios ulimit unistd utime utmpx wordexp""".split()
INCLUDES = "".join(f"#if __has_include(<{name}.h>)\n#include <{name}.h>\n#endif\n" for name in HEADERS)
KEYWORDS = """and asm auto bool break case catch char class const constexpr default delete double else enum export extern
    false float for friend goto if inline int long namespace new not nullptr operator or private register restrict return
    short signed sizeof static static_assert struct switch template this thread_local throw true try typedef typename
    typeof union unsigned using virtual void volatile wchar_t while xor _Bool _Complex _Generic size_t int64_t""".split()
OWN = """arena arena_size threads executor model args status run init init_variant variant describe status_text weights
    weights_size deinit sizes inputs outputs heddle heddle_model heddle_status heddle_executor HEDDLE_OK lib lib_args lib_run
    lib_init LIB LIB_H LIB_MAX_ARENA_SIZE max_arena_size MAX_ARENA_SIZE elements h main std""".split()
ALIKE = """x X x_2 X_2 x_ _x __x xx min_x MIN_X max_x x_elements X_ELEMENTS min_x_elements i I y Y a.b a_b a-b A_B EOF eof eof_
    Eof input INPUT Input""".split()
ODD = ["_", "__", "_2", "1", "1x", " ", "a b", "größe", "\n", "\\", "a\\", "*/", "/*", "*/ int", "??/", "\"", "%", "{0}", "\t"]

CASES = 5
CHUNK = 600  # the number of macros whose names are tested in one model
RANGES = 4  # the number of sizes that lie in ranges


def quoted(text):
    """Returns the text as a string literal of an .mlir file."""
    return '"' + "".join(chr(c) if chr(c).isalnum() and c < 128 else f"\\{c:02X}" for c in text.encode()) + '"'


def model(inputs, sizes, outputs):
    """Returns the text of a model in which each size is a dimension of its own. The first RANGES sizes lie in ranges,
    the others are fixed. The first dimension of each output is the first size."""
    count = max(len(inputs), len(sizes))
    arguments = []
    for i in range(count):
        name = f", heddle.name = {quoted(inputs[i])}" if i < len(inputs) else ""
        size = quoted(sizes[i]) if i < len(sizes) else '""'
        extent = "?" if i < min(RANGES, len(sizes)) else 3
        arguments.append(f"%a{i}: tensor<{extent}x4xf32> {{heddle.dims = [{size}, \"\"]{name}}}")
    results = [f"%r{i}" for i in range(len(outputs))]
    extent = "?" if sizes else 3
    types = ", ".join(f"tensor<{extent}x4xf32> {{heddle.name = {quoted(name)}}}" for name in outputs)
    body = [f"{result} = math.absf %a0 : tensor<{extent}x4xf32>" for result in results]
    tail = ", ".join(results) + " : " + ", ".join([f"tensor<{extent}x4xf32>"] * len(outputs))
    return f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n" + "\n".join(body) + f"\nreturn {tail}\n}}\n"


def macros(cc, folder):
    """Returns all macros that the headers define, except the macros that are reserved for the compiler."""
    path = os.path.join(folder, "all.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(INCLUDES)
    text = subprocess.run([*cc, "-D_GNU_SOURCE", "-dM", "-E", path], check=True, capture_output=True, text=True).stdout
    return sorted(name for name in re.findall(r"#define (\w+)", text) if not name.startswith("__"))


def check(heddle, compilers, folder, inputs, sizes, outputs):
    """Compiles a model, and then a program that includes the library's header and uses each member of lib_args."""
    path = os.path.join(folder, "model.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(model(inputs, sizes, outputs))
    dims = [word for name in sizes[:RANGES] for word in ("--dim", f"{name}=1..9")]
    command = [heddle, "compile", path, "-o", os.path.join(folder, "lib.o"), "--name", "lib", "--mcpu", "x86-64-v3", *dims]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "lib.h"), encoding="utf-8") as file:
        header = file.read()
    defined = re.findall(r"#define (\w+)", header)
    assert len(defined) == len(set(defined)), "a macro is defined twice"
    members = re.findall(r"^  [^/;]*?(\w+);", re.search(r"struct lib_args \{.*?\n\};", header, re.DOTALL).group(), re.MULTILINE)
    assert len(members) == max(len(inputs), len(sizes)) + len(sizes) + len(outputs), len(members)
    use = "void use(struct lib_args *args);\nvoid use(struct lib_args *args) {\n" + "".join(
        f"  args->{member} = 0;\n" for member in members) + "}\n"
    for before in True, False:
        own = '#include "lib.h"\n'
        for extension, compiler, standard in ("c", compilers[0], "c99"), ("cpp", compilers[1], "c++17"):
            program = os.path.join(folder, "use." + extension)
            with open(program, "w", encoding="utf-8") as file:
                file.write((INCLUDES + own if before else own + INCLUDES) + use)
            flags = [f"-std={standard}", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]
            subprocess.run([*compiler, *flags, program], check=True)


def main():
    heddle, cc, cxx, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    compilers = [[cc], [cxx]]
    everything = macros(compilers[0], folder)
    random.Random(0).shuffle(everything)
    for begin in range(0, len(everything), CHUNK):
        some = everything[begin:begin + CHUNK]
        check(heddle, compilers, folder, some, some, ["y"])
    for seed in range(CASES):
        choose = random.Random(seed)
        pools = [everything, KEYWORDS, OWN, ALIKE, ODD]

        def names(count):
            """Returns up to `count` names from each of the pools, in random order."""
            found = {name for pool in pools for name in choose.sample(pool, min(count, len(pool)))}
            return choose.sample(sorted(found), len(found))

        tensors = names(12)
        sizes = [name for name in names(10) if name.strip() and "=" not in name]
        check(heddle, compilers, folder, tensors[3:], sizes, tensors[:3])
    print("headers compile")


if __name__ == "__main__":
    main()
