"""Inputs to begin with, made of the files that other tests have."""
import pathlib
import tarfile

TESTS = pathlib.Path(__file__).parent.parent
OPERATIONS = [
    "softmax rows=5 d=39 scale=0.5",
    "attention b=1 hq=4 hkv=2 s=9 d=8 causal=lower_right mask=b11k type=f16",
    "attention sq=3 skv=1..16 d=4 dv=2 window=2,-1 softcap=3 bias=qk layout=bshd key_lengths empty_row=nan",
    "layer_norm rows=1..7 d=8 eps=1e-5 residual",
    "rms_norm rows=3 d=8 type=bf16",
    "linear m=1..4 n=6 k=8 activation=gelu bias weights=constant",
    "ffn m=4 d=8 hidden=16 activation=silu gate",
    "linear_attention b=1 hq=2 s=6 d=4",
    "rotary_embedding b=1 h=2 s=4 d=8",
]


def archived(archive, suffix, largest):
    """The files of an archive of cases that end so and are not large."""
    with tarfile.open(TESTS / archive / "cases.tar.xz") as cases:
        for member in cases:
            if member.name.endswith(suffix) and member.size < largest:
                yield cases.extractfile(member).read()


def onnx():
    yield from archived("conformance", ".onnx", 3000)
    yield from archived("exporters", ".onnx", 6000)
    for file in sorted((TESTS / "data").rglob("*.onnx")):
        if file.stat().st_size < 6000:
            yield file.read_bytes()


def operation():
    yield from (text.encode() for text in OPERATIONS)


def safetensors():
    for file in sorted((TESTS / "data" / "seeds").glob("*/*.safetensors")):
        if file.stat().st_size < 4000:
            yield file.read_bytes()


def test_data():
    yield from sorted(set(archived("conformance", ".pb", 300)))[::10]


def write(reader, folder):
    """Writes the inputs of a reader into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(globals()[reader]()):
        (folder / f"{number:04}").write_bytes(content)
