"""The works that are timed. A Work is a folder of inputs and of results in f64, which is created once."""
import pathlib

from safetensors.numpy import load_file, save_file

import arrays


class Work:
    """The inputs, expected results and model files of one row. Subclasses create the folder's files in `build`."""
    onnx = None            # path of the ONNX file that peers read
    precision = "f32"      # precision in which Heddle computes
    mcpu = None            # CPU that peers are told to compile for
    keeps_state = False    # whether the model keeps a state between calls
    skips_padding = False  # whether only the rows that `valid` selects are compared
    # Minimum cosine of each row with the expected row, for low precisions; a lower one is a wrong result.
    least_cosine = None
    roof = "flops"         # roof of its products, a name of roof.measure
    memory = "copy"        # roof of its memory accesses; "read" for work that only reads

    def __init__(self, name, cache):
        self.name, self.folder = name, pathlib.Path(cache) / name

    def prepare(self):
        """Creates missing files, then loads them."""
        done = self.folder / "expected.safetensors"
        if not done.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            inputs, expected = self.build()
            save_file(inputs, self.folder / "inputs.safetensors")
            save_file(expected, done)

    def load(self):
        loaded = load_file(self.folder / "inputs.safetensors")
        self.inputs = {name: arrays.copy(array) for name, array in loaded.items()}  # shared by all contestants
        self.expected = load_file(self.folder / "expected.safetensors")

    def tensor(self, name):
        import torch
        return torch.from_numpy(self.inputs[name])

    def build(self):
        """Returns inputs and expected outputs by name; writes further files into the folder."""
        raise NotImplementedError

    def flops(self):
        """Returns the operations of its products; 0 if other operations dominate."""
        return 0

    def moved(self):
        """Returns the minimum of bytes read and written; 0 if memory does not limit it."""
        return 0

    def fill(self, call):
        """Brings Heddle's state to the position of the timed calls; `call` calls the model with `inputs`."""

    def heddle_arguments(self):
        """Returns the model and options for `heddle compile`."""
        raise NotImplementedError

    def torch_function(self):
        """Returns the work as a function without arguments."""
        raise NotImplementedError

    def valid(self, output):
        """Returns the part of an output that is compared."""
        return output
