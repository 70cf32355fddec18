"""The models and operations that are timed. The inputs of a Work, and its expected results, which were computed in f64,
are in a folder that the first run creates."""
import pathlib

from safetensors.numpy import load_file, save_file

import arrays


class Work:
    """The inputs, expected results and model files of one row. Subclasses create the folder's files in `build`."""
    onnx = None            # path of the ONNX file that peers read
    precision = "f32"      # precision in which Heddle computes
    mcpu = None            # CPU to compile for; None: this machine's
    keeps_state = False    # whether the model keeps a state between calls
    skips_padding = False  # whether Heddle skips the rows of padding, which `valid` then excludes from the comparison
    # For low precisions, the minimum cosine between a vector of a result, along its last dimension, and the expected
    # vector. A result with a lower cosine is wrong.
    least_cosine = None
    # Names of the measured speeds (in the result of roof.measure) with which the time is compared: of the products'
    # arithmetic, and of memory ("read" if hardly anything is written).
    roof = "flops"
    memory = "copy"

    def __init__(self, name, cache):
        self.name, self.folder = name, pathlib.Path(cache) / name

    def prepare(self):
        """Creates the files in the folder unless an earlier run created them."""
        done = self.folder / "expected.safetensors"
        if not done.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            inputs, expected = self.build()
            save_file(inputs, self.folder / "inputs.safetensors")
            save_file(expected, done)

    def load(self):
        """Sets `inputs` and `expected`, arrays by name, from the files in the folder."""
        loaded = load_file(self.folder / "inputs.safetensors")
        self.inputs = {name: arrays.copy(array) for name, array in loaded.items()}  # shared by all contestants
        self.expected = load_file(self.folder / "expected.safetensors")

    def tensor(self, name):
        """Returns an input as a torch tensor, which shares the memory of the input."""
        import torch
        return torch.from_numpy(self.inputs[name])

    def build(self):
        """Returns inputs and expected outputs by name. Writes the other files of the work, such as its ONNX file, into
        the folder."""
        raise NotImplementedError

    def flops(self):
        """Returns the number of arithmetic operations of the products; 0 if they do not limit the speed."""
        return 0

    def moved(self):
        """Returns the minimum number of bytes that are read and written; 0 if memory does not limit the speed."""
        return 0

    def fill(self, call):
        """Fills Heddle's state with the past that the timed calls continue. `call` calls the model with `inputs`."""

    def heddle_arguments(self):
        """Returns the model and options for `heddle compile`."""
        raise NotImplementedError

    def torch_function(self):
        """Returns what torch executes: a function without arguments, or (in MiniLM) a module and its arguments."""
        raise NotImplementedError

    def valid(self, output):
        """Returns the part of an output that is compared."""
        return output
