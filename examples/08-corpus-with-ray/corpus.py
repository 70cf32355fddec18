#!/usr/bin/env python3
"""corpus.py CORPUS FILE...: writes the non-empty lines of text files to the parquet file CORPUS, with their numbers,
counted from 0, as ids."""
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet

texts = [line.strip() for path in sys.argv[2:] for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
texts = [text for text in texts if text]
pa.parquet.write_table(pa.table({"id": range(len(texts)), "text": texts}), sys.argv[1])
print(f"{len(texts)} texts")
