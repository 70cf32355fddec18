"""few_words.py MODEL OUT: writes the Hugging Face model in the folder MODEL to the folder OUT, with only the first 1000
rows of its embedding table. The layers are unchanged. A tensor is the embedding table if the number of its rows is the
size of the vocabulary."""
import json
import pathlib
import struct
import sys

WORDS = 1000


def main(model, out):
    out.mkdir(parents=True, exist_ok=True)
    config = json.loads((model / "config.json").read_text())
    words, config["vocab_size"] = config["vocab_size"], WORDS
    (out / "config.json").write_text(json.dumps(config))
    for name in ("modules.json", "1_Pooling/config.json"):
        if (model / name).exists():
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).write_bytes((model / name).read_bytes())
    data = (model / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header, cut, kept, at = json.loads(data[8:8 + size]), {}, [], 0
    for name, tensor in sorted((n, t) for n, t in header.items() if n != "__metadata__"):
        begin, end = tensor["data_offsets"]
        shape = list(tensor["shape"])
        if shape[0] == words:
            end = begin + (end - begin) // words * WORDS
            shape[0] = WORDS
        kept.append(data[8 + size + begin:8 + size + end])
        cut[name] = {"dtype": tensor["dtype"], "shape": shape, "data_offsets": [at, at + end - begin]}
        at += end - begin
    text = json.dumps(cut).encode()
    (out / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(kept))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
