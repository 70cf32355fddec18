"""Input and output of the quick start: converts sentences to token ids, and embeddings to similarities.

usage: sentences.py tokenize TOKENIZER.json OUT.safetensors   (needs the package tokenizers)
       sentences.py stored IDS.json OUT.safetensors
       sentences.py compare OUTPUT.safetensors

The first two commands print the batch size and the sequence length.
"""
import array
import json
import math
import os
import struct
import sys

SENTENCES = [
    "A man is playing a guitar on stage.",
    "The cat sleeps in the warm sun.",
    "Share prices fell sharply this morning.",
    "Someone performs music for a crowd.",
    "A kitten is napping on the window sill.",
    "The stock market lost a lot of value today.",
]


def write_safetensors(path, tensors):
    """Writes int64 tensors. `tensors` maps names to lists of rows of equal length."""
    header, data = {}, b""
    for name, rows in tensors.items():
        content = array.array("q", [value for row in rows for value in row]).tobytes()
        header[name] = {"dtype": "I64", "shape": [len(rows), len(rows[0])],
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_rows(path, name):
    """Returns the rows of the float32 matrix `name` in a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    begin, end = header[name]["data_offsets"]
    values = array.array("f", data[begin:end])
    width = header[name]["shape"][1]
    return [values[i:i + width] for i in range(0, len(values), width)]


def write_ids(path, ids, masks):
    """Writes the inputs of the model and prints their batch size and sequence length."""
    write_safetensors(path, {"input_ids": ids, "attention_mask": masks})
    print(len(ids), len(ids[0]))


def tokenize(tokenizer_file, path):
    """Converts SENTENCES to token ids with a tokenizer and writes the ids."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(tokenizer_file)
    tokenizer.enable_padding() # pads all sentences to the longest one
    encoded = tokenizer.encode_batch(SENTENCES)
    write_ids(path, [e.ids for e in encoded], [e.attention_mask for e in encoded])


def stored(ids_file, path):
    """Writes the token ids of SENTENCES that a JSON file contains, for systems without a tokenizer."""
    with open(ids_file, encoding="utf-8") as file:
        data = json.load(file)
    write_ids(path, data["input_ids"], data["attention_mask"])


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def compare(path):
    """Prints for each sentence the sentence whose embedding is the most similar, and the cosine."""
    rows = read_rows(path, "sentence_embedding")
    for i, sentence in enumerate(SENTENCES):
        similarity, nearest = max((cosine(rows[i], rows[j]), j) for j in range(len(rows)) if j != i)
        print(f"  {sentence:<44} is most similar to  {SENTENCES[nearest]:<44} {similarity:.2f}")


if __name__ == "__main__":
    command = {"tokenize": tokenize, "stored": stored, "compare": compare}.get((sys.argv + [""])[1])
    if not command:
        sys.exit(__doc__)
    command(*sys.argv[2:])
