"""Tests the notebook examples/09-attention-notebook/attention.ipynb: it must be stored without outputs, and all cells
must run in a Jupyter kernel that uses this Python."""
import json
import os
import sys
import tempfile
import unittest

import support

NOTEBOOK = support.ROOT / "examples" / "09-attention-notebook" / "attention.ipynb"
try:
    import ipykernel  # noqa: F401
    import nbconvert.preprocessors
    import nbformat
except ImportError:
    nbconvert = None


class Notebook(unittest.TestCase):
    def test_no_outputs_are_stored(self):
        for cell in json.loads(NOTEBOOK.read_text())["cells"]:
            self.assertFalse(cell.get("outputs") or cell.get("execution_count"), cell["id"])

    @unittest.skipUnless(nbconvert, "nbconvert, nbformat or ipykernel is not installed")
    def test_every_cell_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = os.path.join(folder, "kernels", "python3")
            os.makedirs(kernel)
            with open(os.path.join(kernel, "kernel.json"), "w") as file:
                json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                           "display_name": "Python 3", "language": "python"}, file)
            os.environ["JUPYTER_PATH"] = folder  # Jupyter searches this folder first, so "python3" runs this Python.
            book = nbformat.read(NOTEBOOK, as_version=4)
            nbconvert.preprocessors.ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(
                book, {"metadata": {"path": folder}})
        texts = "".join(output.get("text", "") for cell in book.cells for output in cell.get("outputs", ()))
        self.assertIn("recognised: 2 linear, 1 attention", texts)
        self.assertRegex(texts, r"max abs error .*: ok")
        self.assertIn("<svg", book.cells[-1].outputs[-1]["data"]["text/html"])


support.main()
