"""Tests the reader of keys of GGUF files: values of all types, and errors for damaged files."""
import struct

import numpy as np

import heddle
import gguf_files
import support
import vocabularies
from heddle import _gguf


def everything(key):
    return True


class Keys(support.Folder):
    def read(self, content, wanted=everything):
        path = self.folder / "file.gguf"
        path.write_bytes(content)
        return _gguf.read_keys(str(path), wanted)

    def test_values(self):
        keys = {"a": 3, "b": True, "c": 0.5, "d": "text é", "e": ["x", ""], "f": [1, -2], "g": [0.25]}
        for version in (2, 3):
            found = self.read(gguf_files.content(keys, {"t": np.zeros((2, 3))}, version))
            self.assertEqual({name: list(value) if name in "fg" else value for name, value in found.items()}, keys)
        self.assertEqual(self.read(gguf_files.content(keys), lambda key: key == "c"), {"c": 0.5})

    def test_numbers_of_all_types(self):
        kinds = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 10: "Q", 11: "q", 12: "d"}
        for kind, letter in kinds.items():
            number = struct.pack("<" + letter, 7)
            header = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + gguf_files.text("k") + struct.pack("<I", kind)
            self.assertEqual(self.read(header + number), {"k": 7})

    def test_refusals(self):
        begin = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)

        def refused(pattern, content):
            with self.check(heddle.ArgumentError, f"file.gguf: .*{pattern}"):
                self.read(content)

        refused("found an empty file", b"")
        refused("bytes go beyond the end of the file", b"GG")
        refused("whose first bytes are GGUF", b"\x7fELF" + bytes(40))
        refused("expected version 2 or 3 in little-endian byte order, found version 1", b"GGUF" + struct.pack("<IQQ", 1, 0, 0))
        refused("found version 50331648", b"GGUF" + struct.pack(">IQQ", 3, 0, 0))
        refused("offset 32: 18446744073709551615 bytes go beyond the end", begin + struct.pack("<Q", 2**64 - 1))
        refused("key 'k': a value of type 13 is not supported", begin + gguf_files.text("k") + struct.pack("<I", 13))
        refused("key 'k': a value of type 9 is not supported", begin + gguf_files.text("k") + struct.pack("<IIQ", 9, 9, 1))
        refused("key 'k': 1000 texts do not fit into the file", begin + gguf_files.text("k") + struct.pack("<IIQ", 9, 8, 1000))
        refused("key 'k': .* bytes go beyond", begin + gguf_files.text("k") + struct.pack("<IIQ", 9, 12, 2**61))
        refused("key 'k': expected text in UTF-8", gguf_files.content({"k": b"\xff"}))
        refused("key 'k': the file contains this key twice", b"GGUF" + struct.pack("<IQQ", 3, 0, 2)
                + 2 * (gguf_files.text("k") + struct.pack("<IB", 0, 1)))

    @support.needs_tokenizers
    def test_damaged_files(self):
        """For a damaged file, `open` either returns a tokenizer or raises an ArgumentError."""
        random, refused = np.random.default_rng(3), 0
        for keys in (vocabularies.byte_level(count=10), vocabularies.word_piece()):
            whole = gguf_files.content(keys)
            for case in range(200):
                content = bytearray(whole)
                if case % 3 == 0:
                    del content[int(random.integers(len(content))):]
                else:
                    for at in random.integers(0, len(content), 4):
                        content[at] = random.choice([0, 1, 127, 255, content[at] ^ 1 << int(random.integers(8))])
                path = self.folder / "damaged.gguf"
                path.write_bytes(content)
                try:
                    heddle.Tokenizer.open(path).encode("the cat")
                except heddle.ArgumentError:
                    refused += 1
        self.assertGreater(refused, 150)


support.main()
