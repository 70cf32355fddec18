"""Makes the initial inputs of the fuzz targets from files of other tests.

Each function whose name is the name of a reader yields the initial inputs, as bytes, of READER_fuzzer.cpp.
"""
import pathlib
import re
import tarfile

TESTS = pathlib.Path(__file__).parent.parent
# Operations that are invalid, or have options that e2e/Operations.cpp does not use.
OPERATIONS = [
    "softmax rows=5 d=39 scale=0.5 mask",
    "attention sq=3 skv=1..16 d=4 dv=2 window=2,-1 softcap=3 bias=qk layout=bshd key_lengths empty_row=nan",
    "attention h=2 s=5 d=4 causal=upper_left mask empty_row=nan_to_zeros masked_score=-1e9 scale=0.1 type=f64",
    "rms_norm rows=3 d=8 type=bf16 axis=1",
    "linear rows=2 n=3 k=4 activation=gelu_tanh residual weights=input",
    "linear_attention b=1 hq=2 s=6 d=4 feature_map=relu normalized causal=none",
]
# The element types of .safetensors files and their sizes in bytes.
TYPES = {"BOOL": 1, "I8": 1, "I16": 2, "I32": 4, "I64": 8, "U8": 1, "U16": 2, "U32": 4, "U64": 8, "F16": 2, "BF16": 2,
         "F32": 4, "F64": 8, "F8_E4M3": 1, "F8_E5M2": 1}


def archived(archive, suffix, largest):
    """Yields the contents of files in `archive`/cases.tar.xz that have this suffix and fewer than `largest` bytes."""
    with tarfile.open(TESTS / archive / "cases.tar.xz") as cases:
        for member in cases:
            if member.name.endswith(suffix) and member.size < largest:
                yield cases.extractfile(member).read()


def modules(folders, largest):
    """Yields the modules of .mlir files in the folders, without their comments. Omits modules of `largest` or more
    characters, comments included. A file may contain several modules, separated by `// -----`.
    """
    for folder in folders:
        for file in sorted(folder.rglob("*.mlir")):
            for module in re.split(r"^// -----.*\n", file.read_text(), flags=re.M):
                if len(module) < largest:
                    yield re.sub(r"^ *//.*\n", "", module, flags=re.M).encode()


def mlir():
    folders = ("data", "dialect", "import", "interpreter", "recognise", "reference", "transforms")
    yield from modules([TESTS / folder for folder in folders], 3000)


def strategy():
    yield from modules([TESTS.parent / "compiler" / "strategies", TESTS / "strategies"], 5000)


def huggingface():
    """Yields one text for each Hugging Face directory, in the format that huggingface_fuzzer.cpp describes."""
    for config in sorted((TESTS / "data" / "huggingface").rglob("config.json")):
        folder = config.parent
        if folder.name[0].isdigit():  # such as 1_Pooling, which belongs to the model in the parent directory
            continue
        files = []
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if file.suffix == ".json":
                files.append((name, file.read_text()))
            elif name.endswith("model.safetensors") or name.startswith("model-"):
                content = file.read_bytes()
                files.append((name, content[8:8 + int.from_bytes(content[:8], "little")].decode().rstrip()))
        text = "\n".join(f"//--- {name}\n{content}" for name, content in files)
        if len(text) < 10000:
            yield text.encode()


def gguf():
    yield from (file.read_bytes() for file in sorted((TESTS / "data" / "gguf").glob("*.gguf")))


def onnx():
    yield from archived("conformance", ".onnx", 3000)
    yield from archived("exporters", ".onnx", 6000)
    for file in sorted((TESTS / "data").rglob("*.onnx")):
        if file.stat().st_size < 6000:
            yield file.read_bytes()


def operation():
    yield from (text.encode() for text in OPERATIONS)
    table = (TESTS / "e2e" / "Operations.cpp").read_text()
    for name, knobs in re.findall(r'\{"(\w+)", "([^"]*)", ', table):
        yield f"{name} {knobs}".encode()


def safetensors():
    """Yields a file with one tensor of each element type, and the small files of other tests."""
    entries, end = ['"__metadata__":{"format":"pt"}'], 0
    for name, size in TYPES.items():
        entries.append(f'"{name.lower()}":{{"dtype":"{name}","shape":[2,1],"data_offsets":[{end},{end + 2 * size}]}}')
        end += 2 * size
    header = "{" + ",".join(entries) + "}"
    yield len(header).to_bytes(8, "little") + header.encode() + bytes(end)
    for file in sorted((TESTS / "data" / "seeds").glob("*/*.safetensors")):
        if file.stat().st_size < 4000:
            yield file.read_bytes()


def test_data():
    """Yields every tenth of the small tensor files of ONNX's backend tests."""
    yield from sorted(set(archived("conformance", ".pb", 300)))[::10]


def ptx():
    """For each kernel in a .ptx file of the tests, yields a text with only this kernel, after the directives at the
    start of its file. Also yields kernels with one or two instructions from the tests of the PTX interpreter.
    """
    files = [*(TESTS / "ptx" / "Inputs").glob("*.ptx"), *(TESTS / "runtime").rglob("*.ptx"), TESTS / "gpu" / "ptx" / "probes.ptx"]
    for file in sorted(files):
        head, *kernels = re.split(r"^(?=\.visible \.entry)", file.read_text(), flags=re.M)
        yield from ((head + kernel).encode() for kernel in kernels if len(kernel) < 6000)
    head = ".version 8.0 .target sm_80 .address_size 64\n.shared .align 16 .b8 memory[1024];\n.visible .entry k(.param .u64 p0)\n{\n"
    registers = "".join(f".reg .{kind} %{name}<64>;\n" for kind, name in (("pred", "p"), ("b16", "h"), ("b32", "r"),
                                                                            ("f32", "f"), ("b64", "rd"), ("f64", "fd")))
    begin = "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [p0];\n"
    for file in sorted((TESTS / "ptx").glob("*_test.cpp")):
        lines = sorted(set(re.findall(r"(?:@!?%p\d+ )?\b[a-z]{2,6}(?:\.[\w:]+)+ [^;\"\\]*;", file.read_text())))
        for first in range(0, len(lines), 2):
            yield (head + registers + begin + "\n".join(lines[first:first + 2]) + "\nret;\n}\n").encode()


def runner():
    yield from safetensors()


def write(reader, folder, dictionary):
    """Writes the initial inputs of a reader into the folder, and the words in them into a libFuzzer dictionary."""
    folder.mkdir(parents=True, exist_ok=True)
    words = set()
    for number, content in enumerate(globals()[reader]()):
        (folder / f"{number:04}").write_bytes(content)
        words.update(re.findall(rb"[A-Za-z_][\w.]{2,30}", content))
    dictionary.write_text("".join(f'"{word.decode()}"\n' for word in sorted(words)))
