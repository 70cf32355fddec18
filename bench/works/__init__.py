"""What is timed. A Work is a folder of inputs and of results computed in f64, made once and kept."""
import pathlib

from safetensors.numpy import load_file, save_file

import arrays


class Work:
    """One row's inputs, expected results and sources. Subclasses make the folder's files in `build`."""
    onnx = None            # path of the ONNX file that peers read
    precision = "f32"      # what Heddle is told to compute in
    mcpu = None            # the CPU that peers are told to compile for
    keeps_state = False    # from call to call
    skips_padding = False  # only the rows that `valid` selects are compared
    least_cosine = None    # of a row and the expected one, where numbers have few bits: who is below computes something else
    roof = "flops"         # what its products could be computed at, of roof.measure
    memory = "copy"        # and how its bytes could be moved: what only reads has "read"

    def __init__(self, name, cache):
        self.name, self.folder = name, pathlib.Path(cache) / name

    def prepare(self):
        """Makes what is missing, then loads it."""
        done = self.folder / "expected.safetensors"
        if not done.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            inputs, expected = self.build()
            save_file(inputs, self.folder / "inputs.safetensors")
            save_file(expected, done)

    def load(self):
        loaded = load_file(self.folder / "inputs.safetensors")
        self.inputs = {name: arrays.copy(array) for name, array in loaded.items()}  # of all contestants
        self.expected = load_file(self.folder / "expected.safetensors")

    def tensor(self, name):
        import torch
        return torch.from_numpy(self.inputs[name])

    def build(self):
        """Inputs and expected outputs, by name; writes further files into the folder."""
        raise NotImplementedError

    def flops(self):
        """Operations of the products in it; 0 where something else takes the time."""
        return 0

    def moved(self):
        """Bytes read and written at least, where memory may take the time."""
        return 0

    def fill(self, call):
        """Brings what Heddle keeps from call to call to where the timed calls begin; `call` calls with what `inputs` has."""

    def heddle_arguments(self):
        """What `heddle compile` takes: the model and its options."""
        raise NotImplementedError

    def torch_function(self):
        """The work as a function of no arguments."""
        raise NotImplementedError

    def valid(self, output):
        """The part of an output that is compared."""
        return output
