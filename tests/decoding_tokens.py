"""Makes inputs for `heddle run --generate` and checks its output. DECODING is a file decoding.safetensors, in which
tests/data/huggingface/make_decoding.py stored prompts and the expected tokens after them.

decoding_tokens.py prompts DECODING OUT: writes the prompts of DECODING to OUT, as input_ids and attention_mask.

decoding_tokens.py wrong DECODING OUT: like `prompts`, but replaces one token by one that is not in the vocabulary.

decoding_tokens.py compare DECODING TOKENS COUNT [STOP...]: succeeds if the first COUNT tokens of each sequence are the
same in DECODING and in TOKENS, the output of `heddle run --generate`. Each STOP is a token that ends a sequence: if a
sequence in DECODING contains one, the sequence in TOKENS must repeat this token up to position COUNT.
"""
import json
import struct
import sys


def read(path):
    """Returns the int64 tensors of a .safetensors file by name, each as a list of rows."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<Q", data)[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__" or entry["dtype"] != "I64":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = struct.unpack(f"<{(end - begin) // 8}q", data[begin:end])
        width = entry["shape"][-1] if len(entry["shape"]) > 1 else 1
        tensors[name] = [list(values[i:i + width]) for i in range(0, len(values), width)]
    return tensors


def write(path, tensors):
    """Writes int64 matrices, given by name as lists of rows, to a .safetensors file."""
    header, data = {}, b""
    for name, rows in tensors.items():
        begin = len(data)
        data += b"".join(struct.pack("<q", value) for row in rows for value in row)
        header[name] = {"dtype": "I64", "shape": [len(rows), len(rows[0])], "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


decoding = read(sys.argv[2])
if sys.argv[1] in ("prompts", "wrong"):
    lengths = [row[0] for row in decoding["lengths"]]
    longest = len(decoding["prompts"][0])
    mask = [[int(i < length) for i in range(longest)] for length in lengths]
    if sys.argv[1] == "wrong":
        decoding["prompts"][0][1] = 1000  # larger than every token of the small models
    write(sys.argv[3], {"input_ids": decoding["prompts"], "attention_mask": mask})
else:
    count, stops = int(sys.argv[4]), {int(token) for token in sys.argv[5:]}
    expected, found = ([row[:count] for row in tensors["tokens"]] for tensors in (decoding, read(sys.argv[3])))
    for row in expected:
        end = next((i for i, token in enumerate(row) if token in stops), count)
        row[end:] = row[end:end + 1] * (count - end)
    if expected != found or len(found[0]) != count:
        sys.exit(f"expected {expected}, found {found}")
