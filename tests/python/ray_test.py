"""Runs examples/08-corpus-with-ray, which computes embeddings of a corpus, on a cluster of two nodes on this machine.
The results must have the same bits as in one process, and no text may be lost or duplicated if a worker is killed or a
node disappears.

usage: ray_test.py [MINILM]. MINILM is the folder of the model all-MiniLM-L6-v2. If it contains the model, the test also
prints the throughput."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import ray
import ray.cluster_utils

import heddle
import support
import text_models

EXAMPLE = support.ROOT / "examples" / "08-corpus-with-ray"
sys.path.insert(0, str(EXAMPLE))
import embed  # noqa: E402

ray.cloudpickle.register_pickle_by_value(embed)  # Workers do not have the file of this module.
MINILM = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else None
# The number of texts in a block, the unit in which workers embed the corpus.
ROWS = 128
# With these environment variables, Ray sends no usage statistics and writes nothing to the user's home folder.
ALONE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}


class Marking(embed.Embed):
    """A worker that writes a file, a mark, for each block of texts that it embeds: the node and process, the start and
    end time, and the number of rows. It waits `pause` seconds before each block."""

    def __init__(self, threads, marks, pause=0.0):
        super().__init__(threads)
        self.marks, self.pause = pathlib.Path(marks), pause

    def __call__(self, block):
        begin = time.time()
        time.sleep(self.pause)
        result = super().__call__(block)
        mark = {"node": ray.get_runtime_context().get_node_id(), "process": os.getpid(), "begin": begin,
                "end": time.time(), "rows": len(block)}
        (self.marks / f"{os.getpid()}-{time.time_ns()}").write_text(json.dumps(mark))
        return result


class KilledOnce(Marking):
    """A worker that kills its own process when it has finished four blocks, before it returns the result of the fourth.
    Only the first worker that reaches four blocks does so."""

    def __call__(self, block):
        result = super().__call__(block)
        if len(list(self.marks.glob(f"{os.getpid()}-*"))) == 4:
            try:
                (self.marks / "killed").touch(exist_ok=False)
            except FileExistsError:
                return result
            os.kill(os.getpid(), 9)
        return result


class TwoNodes(unittest.TestCase):
    """A cluster of two nodes with two CPUs each: one for a worker and one for the reader."""

    def start(self, model, longest):
        """Makes a package, a folder with the compiled encoder and its tokenizer, from the directory model(self.folder),
        deletes self.folder/encoder, and starts a cluster whose workers have the package. Sentences are cut to `longest`
        tokens."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle ray "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.package = self.folder / "package"
        subprocess.run([EXAMPLE / "pack.sh", model(self.folder), self.package], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env={**os.environ, "HEDDLE_LONGEST": str(longest)})
        shutil.rmtree(self.folder / "encoder", ignore_errors=True)
        self.assertEqual(list(self.package.rglob("*.safetensors")), [])
        self.encoder = heddle.SentenceEncoder(self.package, library=str(self.package / "encoder.so"), threads=1)
        self.addCleanup(self.encoder.close)
        with unittest.mock.patch.dict(os.environ, ALONE):
            os.environ.pop("HEDDLE", None)  # Workers must not find a compiler.
            node = {"num_cpus": 2, "object_store_memory": 100 << 20}
            self.cluster = ray.cluster_utils.Cluster(initialize_head=True, head_node_args=node)
            self.addCleanup(self.cluster.shutdown)
            self.second = self.cluster.add_node(**node)
            ray.init(self.cluster.address, runtime_env={"working_dir": str(self.package)}, log_to_driver=False,
                     logging_level="ERROR")
        self.addCleanup(ray.shutdown)
        ray.data.DataContext.get_current().enable_progress_bars = False

    def write_corpus(self, texts):
        """Writes a corpus with these texts. Results may be in another order and are found by their ids, which are
        random."""
        self.ids = np.random.default_rng(3).permutation(10 * len(texts))[:len(texts)]
        self.texts = texts
        pa.parquet.write_table(pa.table({"id": self.ids, "text": texts}), self.folder / "corpus.parquet")

    def embed(self, name, worker=Marking, **arguments):
        """Embeds the corpus with two workers, compares the embeddings with those of one process, and returns the marks.
        `name` is the name of the output."""
        marks, output = self.folder / f"{name} marks", self.folder / name
        marks.mkdir()
        embed.embed(str(self.folder / "corpus.parquet"), str(output), workers=2, threads=1, worker=worker, rows=ROWS,
                    marks=str(marks), **arguments)
        table = pa.parquet.read_table(output)
        found = table["id"].to_numpy()
        self.assertEqual(sorted(found), sorted(self.ids))
        embeddings = np.stack(table["embedding"].to_numpy())
        expected = self.encoder.encode(self.texts)
        np.testing.assert_array_equal(embeddings[np.argsort(found)].view(np.uint32),
                                      expected[np.argsort(self.ids)].view(np.uint32))
        return [json.loads(mark.read_text()) for mark in marks.glob("*-*")]


class SmallModel(TwoNodes):
    def setUp(self):
        self.start(text_models.sentence_encoder, 24)
        self.write_corpus(text_models.random_sentences(3000, 30, 7))

    def test_bits_equal_those_of_one_process(self):
        marks = self.embed("plain", pause=0.05)
        self.assertEqual(len({mark["node"] for mark in marks}), 2, "one node embedded all blocks")
        self.assertEqual(len({mark["process"] for mark in marks}), 2)
        self.assertEqual(sum(mark["rows"] for mark in marks), len(self.texts))

    def test_a_worker_is_killed(self):
        marks = self.embed("killed", KilledOnce, pause=0.05)
        self.assertTrue((self.folder / "killed marks" / "killed").exists())
        self.assertGreater(sum(mark["rows"] for mark in marks), len(self.texts), "no block was embedded again")
        self.assertEqual(len({mark["process"] for mark in marks}), 3, "no worker replaced the one that was killed")

    def test_a_node_is_lost(self):
        marks, lost = self.folder / "lost marks", []

        def lose():
            """Removes the second node from the cluster when it has embedded three blocks."""
            while len(lost) == 0:
                nodes = [json.loads(mark.read_text() or "{}").get("node") for mark in marks.glob("*-*")]
                if nodes.count(self.second.node_id) >= 3:
                    self.cluster.remove_node(self.second, allow_graceful=False)
                    lost.append(len(nodes))
                time.sleep(0.05)
        thread = threading.Thread(target=lose, daemon=True)
        thread.start()
        marks = self.embed("lost", pause=0.2)
        self.assertTrue(lost, "the second node embedded no block")
        self.assertLess(lost[0] * ROWS, len(self.texts))


@unittest.skipUnless(MINILM and (MINILM / "model.safetensors").is_file(), "there is no MiniLM")
class MiniLM(TwoNodes):
    def test_throughput(self):
        self.start(lambda _: MINILM, 256)
        words = (support.ROOT / "examples" / "README.md").read_text().split()
        random = np.random.default_rng(5)
        self.write_corpus([" ".join(random.choice(words, random.integers(3, 30))) for _ in range(8 * ROWS)])
        self.encoder.encode(self.texts[:ROWS])
        begin = time.time()
        self.encoder.encode(self.texts)
        alone = len(self.texts) / (time.time() - begin)
        marks = self.embed("minilm")
        rates = []
        for process in {mark["process"] for mark in marks}:
            own = [mark for mark in marks if mark["process"] == process]
            seconds = max(mark["end"] for mark in own) - min(mark["begin"] for mark in own)
            rates.append(sum(mark["rows"] for mark in own) / seconds)
        self.assertEqual(len(rates), 2)
        print("texts a second of each of two workers, relative to one process with one thread: "
              + ", ".join(f"{rate / alone:.2f}" for rate in rates) + " (their times include waiting between blocks)")


if __name__ == "__main__":
    support.main()
