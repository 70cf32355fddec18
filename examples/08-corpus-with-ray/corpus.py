#!/usr/bin/env python3
"""corpus.py CORPUS FILE...: each line of text files, with its number for an id, as the parquet file CORPUS."""
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet

texts = [line.strip() for path in sys.argv[2:] for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
texts = [text for text in texts if text]
pa.parquet.write_table(pa.table({"id": range(len(texts)), "text": texts}), sys.argv[1])
print(f"{len(texts)} texts")
