#!/usr/bin/env python3
"""Embeds a corpus on all machines of a Ray cluster.

  embed.py PACKAGE CORPUS OUTPUT [--workers N] [--threads N] [--address ADDRESS]

PACKAGE: a folder that pack.sh made, with the compiled encoder and the small files of its tokenizer. Ray copies it to
  each machine once. The weights are inside the library; the machines need no compiler, only the packages that
  `pip install 'heddle-runtime[text]' 'ray[data]'` installs.
CORPUS: parquet files with the columns `id` and `text`.
OUTPUT: a folder for parquet files with the columns `id` and `embedding`, whose rows have any order.

If a worker or its machine is lost, Ray Data passes its texts to other workers, so each id is written exactly once.
"""
import argparse
import os
import time

import heddle
import pyarrow as pa
import ray

# The number of texts in a block. A worker embeds one block at a time, and Ray repeats a block if its worker is lost.
ROWS = 512


class Embed:
    """A worker: loads the library once and embeds blocks. Its working directory is PACKAGE on its machine."""

    def __init__(self, threads):
        self.encoder = heddle.SentenceEncoder(".", library="./encoder.so", threads=threads)

    def __call__(self, block):
        rows = self.encoder.encode(block["text"].to_pylist())
        embeddings = pa.FixedSizeListArray.from_arrays(rows.reshape(-1), rows.shape[1])
        return pa.table({"id": block["id"], "embedding": embeddings})


def embed(corpus, output, workers, threads, worker=Embed, rows=ROWS, **arguments):
    """Embeds a corpus with `workers` instances of `worker`, each on `threads` CPUs, on all machines of the cluster.

    rows: the number of texts in a block.
    arguments: arguments of the constructor of `worker`.
    """
    texts = ray.data.read_parquet(corpus).select_columns(["id", "text"]).repartition(target_num_rows_per_block=rows)
    texts.map_batches(worker, batch_size=None, batch_format="pyarrow", num_cpus=threads,
                      compute=ray.data.ActorPoolStrategy(size=workers),
                      fn_constructor_kwargs={"threads": threads, **arguments}).write_parquet(output)


def everywhere(path):
    """Returns an absolute path, since workers have another working directory. URLs are unchanged."""
    return path if "://" in path else os.path.abspath(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, words in (("package", "folder that pack.sh made"), ("corpus", "parquet files with the texts"),
                        ("output", "folder for parquet files with the embeddings")):
        parser.add_argument(name, help=words)
    parser.add_argument("--workers", type=int,
                        help="number of workers (default: as many as fit on all CPUs but one, which reads the corpus)")
    parser.add_argument("--threads", type=int, default=1, help="number of threads of each worker (default: 1)")
    parser.add_argument("--address",
                        help="address of the cluster (default: RAY_ADDRESS, or else a cluster of this machine only)")
    arguments = parser.parse_args()
    if arguments.threads < 1:
        parser.error(f"--threads {arguments.threads}: expected a positive number")
    ray.init(arguments.address, runtime_env={"working_dir": arguments.package})
    most = (int(ray.cluster_resources()["CPU"]) - 1) // arguments.threads
    workers = arguments.workers or most
    if not 1 <= workers <= most:  # with more workers, the tasks that read the corpus would wait for a CPU forever
        parser.error(f"--workers {workers}: the CPUs of this cluster suffice for at most {most} workers, besides one "
                     "CPU that reads the corpus")
    ray.data.DataContext.get_current().enable_progress_bars = False
    output = everywhere(arguments.output)
    start = time.perf_counter()
    embed(everywhere(arguments.corpus), output, workers, arguments.threads)
    seconds = time.perf_counter() - start
    count = ray.data.read_parquet(output).count()
    print(f"{count} texts in {seconds:.1f} s, including the start of the workers; number of workers: {workers}")


if __name__ == "__main__":
    main()
