"""dequantize_models.py HEDDLE FOLDER SEED COUNT [ARGUMENT...]: tests COUNT models of random sizes with quantised
weights. The models are written to FOLDER; SEED is the seed of the first model.

Weights are integers with a scale for each block, and possibly with zero points, minima and outlier rows. `heddle verify
ARGUMENT...` (such as --mcpu x86-64) compares each model with the interpreter and with results that this script computes
element by element.
"""
import itertools
import json
import math
import pathlib
import random
import struct
import subprocess
import sys

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
seed, count, arguments = int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
CODES = {"F32": ("f", "f32"), "I8": ("b", "i8"), "I64": ("q", "i64")}


def f32(number):
    """Rounds a number to f32."""
    return struct.unpack("f", struct.pack("f", number))[0]


class Tensor:
    """A tensor whose elements, `numbers`, are in row-major order. dtype is a key of CODES."""

    def __init__(self, shape, numbers, dtype="F32"):
        self.shape, self.numbers, self.dtype = list(shape), list(numbers), dtype

    def __getitem__(self, index):
        place = 0
        for at, size in zip(index, self.shape):
            place = place * size + at
        return self.numbers[place]

    def type(self):
        """Returns the MLIR type."""
        return f"tensor<{'x'.join(map(str, self.shape))}x{CODES[self.dtype][1]}>"


def indices(shape):
    return itertools.product(*map(range, shape))


def computed(shape, number):
    """Returns an F32 tensor whose element with the indices i, j, ... is number(i, j, ...)."""
    return Tensor(shape, (number(*index) for index in indices(shape)))


def floats(shape):
    return computed(shape, lambda *_: f32(random.uniform(-1, 1)))


def save(path, tensors):
    """Writes tensors, given by name, to a .safetensors file."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = struct.pack(f"<{len(tensor.numbers)}{CODES[tensor.dtype][0]}", *tensor.numbers)
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Model:
    """The lines of an @main, its weights and its inputs by name."""

    def __init__(self):
        self.lines, self.weights, self.inputs = [], {}, {}

    def add(self, line):
        self.lines.append("  " + line)

    def weight(self, name, tensor):
        self.weights[name] = tensor
        self.add(f'%{name} = heddle.weight "{name}" : {tensor.type()}')

    def input(self, name, tensor):
        self.inputs[name] = tensor
        return tensor

    def stored(self, name, shape, outliers=True):
        """Adds %name, a quantised weight with random blocks. Returns the tensor of the numbers that it represents. With
        `outliers`, some rows may be outlier rows, which are stored as floats."""
        block = [random.choice([1, 1, size, 32, random.randint(1, size)]) for size in shape]
        blocks = [-(-size // each) for size, each in zip(shape, block)]
        parts = {"": Tensor(shape, (random.randint(-128, 127) for _ in indices(shape)), "I8")}
        parts["scales"] = computed(blocks, lambda *_: f32(random.uniform(0.001, 0.01)))
        if random.random() < 0.4:
            parts["zero_points"] = Tensor(blocks, (random.randint(-128, 127) for _ in indices(blocks)), "I8")
        if random.random() < 0.4:
            parts["minima"] = floats(blocks)
        rows = sorted(random.sample(range(shape[0]), random.randint(0, min(3, shape[0])))) if outliers else []
        if rows:
            parts["outliers"] = floats([len(rows), *shape[1:]])
        text = f"%{name} = heddle.dequantize %{name}_q"
        for part, tensor in parts.items():
            self.weight(f"{name}_{part or 'q'}", tensor)
            text += f" {part}(%{name}_{part} : {tensor.type()})" if part else ""
        if rows:
            text += f" outlier_rows {rows}"
        whole = Tensor(shape, [])
        self.add(f"{text} block {block} : {parts[''].type()} -> {whole.type()}")

        def number(*index):
            if rows and index[0] in rows:
                return parts["outliers"][(rows.index(index[0]), *index[1:])]
            at = [place // each for place, each in zip(index, block)]
            zero = parts["zero_points"][at] if "zero_points" in parts else 0
            return (parts[""][index] - zero) * parts["scales"][at] + (parts["minima"][at] if "minima" in parts else 0)

        return computed(shape, number)

    def linear(self, result, x, y, w):
        """Adds %result, the product of %x and %w. Returns the expected product. `y` contains the numbers of %x, and `w`
        contains the numbers of %w."""
        out = computed([y.shape[0], w.shape[1]], lambda i, j: sum(y[i, k] * w[k, j] for k in range(w.shape[0])))
        self.add(f"%{result} = heddle.linear %{x}, %w : ({y.type()}, {w.type()}) -> {out.type()}")
        return out

    def write(self, path, name, out):
        """Writes the model, which returns %name, with its inputs and the expected result `out` to the folder `path`."""
        arguments = ", ".join(f'%{n}: {t.type()} {{heddle.name = "{n}"}}' for n, t in self.inputs.items())
        text = f"""module attributes {{heddle.weight_files = ["weights.safetensors"]}} {{
func.func @main({arguments}) -> ({out.type()} {{heddle.name = "out"}}) {{
""" + "\n".join(self.lines) + f"\n  return %{name} : {out.type()}\n}}\n}}\n"
        path.mkdir(parents=True, exist_ok=True)
        (path / "model.mlir").write_text(text)
        save(path / "weights.safetensors", self.weights)
        save(path / "inputs.safetensors", self.inputs)
        save(path / "expected.safetensors", {"out": out})


def size():
    """Returns a random size of a weight's dimension."""
    return random.choice([1, 3, 16, 33, 48, 64, random.randint(1, 80)])


def rows():
    """Returns a random number of rows of an input."""
    return random.choice([1, 2, 7, 20, 40])


def table(model):
    """A lookup of rows in an embedding table. This function and each of the following ones add to `model` the
    operations that compute %out from random inputs, and return the expected result."""
    w = model.stored("w", [size(), size()], outliers=random.random() < 0.5)
    ids = model.input("ids", Tensor([rows()], [], "I64"))
    ids.numbers = [random.randrange(w.shape[0]) for _ in range(ids.shape[0])]
    out = computed([ids.shape[0], w.shape[1]], lambda i, j: w[ids.numbers[i], j])
    model.add(f"""%empty = tensor.empty() : {out.type()}
  %out = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}} ins(%ids : {ids.type()}) outs(%empty : {out.type()}) {{
  ^bb0(%id: i64, %unused: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %w[%row, %column] : {w.type()}
    linalg.yield %element : f32
  }} -> {out.type()}""")
    return out


def linear(model):
    """A linear layer."""
    k, n = size(), size()
    x = model.input("x", floats([rows(), k]))
    return model.linear("out", "x", x, model.stored("w", [k, n]))


def transposed(model):
    """A linear layer whose stored weight has a row for each output, as in torch files."""
    k, n = size(), size()
    x = model.input("x", floats([rows(), k]))
    v = model.stored("v", [n, k], outliers=random.random() < 0.3)
    w = computed([k, n], lambda i, j: v[j, i])
    model.add(f"%transposed = tensor.empty() : {w.type()}")
    model.add(f"%w = linalg.transpose ins(%v : {v.type()}) outs(%transposed : {w.type()}) permutation = [1, 0]")
    return model.linear("out", "x", x, w)


def sliced(model):
    """A linear layer whose weight is a slice of the stored weight. The slice may begin within a block."""
    v = model.stored("v", [size(), size()])
    at = [random.randrange(whole) for whole in v.shape]
    if random.random() < 0.5:
        at = [place // 32 * 32 for place in at]
    sizes = [random.randint(1, whole - place) for whole, place in zip(v.shape, at)]
    w = computed(sizes, lambda i, j: v[at[0] + i, at[1] + j])
    model.add(f"%w = tensor.extract_slice %v{at} {sizes} [1, 1] : {v.type()} to {w.type()}")
    x = model.input("x", floats([rows(), sizes[0]]))
    return model.linear("out", "x", x, w)


def collapsed(model):
    """A linear layer whose weight is stored as groups of rows [groups, rows of a group, columns], as in GPTQ."""
    groups, each, n = random.randint(1, 4), random.choice([1, 8, 32]), size()
    v = model.stored("v", [groups, each, n], outliers=False)
    w = computed([groups * each, n], lambda i, j: v[i // each, i % each, j])
    model.add(f"%w = tensor.collapse_shape %v [[0, 1], [2]] : {v.type()} into {w.type()}")
    x = model.input("x", floats([rows(), w.shape[0]]))
    return model.linear("out", "x", x, w)


def expanded(model):
    """The sum of an input and the reshaped weight."""
    a, b, c = random.randint(1, 5), random.choice([1, 4, 32]), size()
    v = model.stored("v", [a * b, c])
    w = computed([a, b, c], lambda i, j, k: v[i * b + j, k])
    model.add(f"%w = tensor.expand_shape %v [[0, 1], [2]] output_shape {w.shape} : {v.type()} into {w.type()}")
    x = model.input("x", floats(w.shape))
    model.add(f"%out = arith.addf %x, %w : {w.type()}")
    return computed(w.shape, lambda *index: x[index] + w[index])


def returned(model):
    """The numbers that the weight represents are the result."""
    model.input("x", floats([1]))
    return model.stored("out", [size(), size()])


def batched(model):
    """A matrix product for each entry of a batch. The stored tensor has a matrix for each entry, so the products are
    not linear layers."""
    b, k, n, m = random.randint(1, 3), size(), size(), rows()
    w = model.stored("w", [b, k, n])
    x = model.input("x", floats([b, m, k]))
    out = computed([b, m, n], lambda i, j, l: sum(x[i, j, p] * w[i, p, l] for p in range(k)))
    model.add(f"""%zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {out.type()}
  %filled = linalg.fill ins(%zero : f32) outs(%empty : {out.type()}) -> {out.type()}
  %out = linalg.batch_matmul ins(%x, %w : {x.type()}, {w.type()}) outs(%filled : {out.type()}) -> {out.type()}""")
    return out


def attention(model):
    """Attention whose keys and values are quantised weights."""
    h, s, d, q = random.randint(1, 2), random.choice([1, 5, 40]), random.choice([4, 16, 24]), random.choice([1, 3, 20])
    k, v = (model.stored(name, [1, h, s, d]) for name in "kv")
    x = model.input("x", floats([1, h, q, d]))
    scores = computed([h, q, s], lambda i, j, l: math.exp(0.5 * sum(x[0, i, j, p] * k[0, i, l, p] for p in range(d))))
    sums = computed([h, q], lambda i, j: sum(scores[i, j, l] for l in range(s)))
    out = computed([1, h, q, d], lambda _, i, j, p: sum(scores[i, j, l] * v[0, i, l, p] for l in range(s)) / sums[i, j])
    model.add(f"%out = heddle.attention %x, %k, %v scale(0.5) : ({x.type()}, {k.type()}, {v.type()}) -> {out.type()}")
    return out


def ffn(model):
    """Two linear layers with relu between them."""
    k, hidden, m = size(), size(), rows()
    up, w = model.stored("up", [k, hidden]), model.stored("w", [hidden, size()])
    x = model.input("x", floats([m, k]))
    y = computed([m, hidden], lambda i, j: max(0.0, sum(x[i, p] * up[p, j] for p in range(k))))
    model.add(f"%y = heddle.linear %x, %up activation(relu) : ({x.type()}, {up.type()}) -> {y.type()}")
    return model.linear("out", "y", y, w)


KINDS = [table, linear, transposed, sliced, collapsed, expanded, returned, batched, attention, ffn]
for number in range(seed, seed + count):
    random.seed(number)
    kind = KINDS[number % len(KINDS)]
    model, case = Model(), folder / f"{number}-{kind.__name__}"
    out = kind(model)
    model.write(case, "out", out)
    words = [case / "model.mlir", "--input", case / "inputs.safetensors"]
    done = subprocess.run([program, "verify", *map(str, words), "--expected", str(case / "expected.safetensors"),
                           *arguments], capture_output=True, text=True)
    if done.returncode or "ok" not in done.stdout:
        sys.exit(f"{case}\n{done.stdout}{done.stderr}")
    print(case.name, "ok")
