"""Calls a library that `heddle compile` wrote, through the description (struct heddle_model) that its function
heddle_query returns."""
import ctypes

import numpy as np

import arrays

# From <heddle/model.h>: numpy's types for the values of enum heddle_type (except those for f16 and bf16), and a bit of
# heddle_tensor.flags. From <heddle/abi.h>: texts for the values of enum heddle_status, in their order.
NUMPY_TYPES = {1: np.float32, 2: np.float64, 5: np.int64, 6: np.int32, 7: np.int8, 8: np.bool_}
OPTIONAL = 1
STATUS = ["ok", "invalid argument", "index out of range", "arena too small", "unsupported CPU", "invalid weights",
          "executor failed", "unsupported device", "out of device memory", "device lost", "device error",
          "state not initialised", "state of another model", "state of other sizes", "state too small", "state not filled",
          "state full"]


class Tensor(ctypes.Structure):
    """struct heddle_tensor of <heddle/model.h>."""
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("extents", ctypes.c_void_p), ("flags", ctypes.c_uint64),
                ("low", ctypes.c_int64), ("high", ctypes.c_int64), ("default_value", ctypes.c_int64),
                ("format", ctypes.c_uint32), ("state", ctypes.c_uint32)]

    def empty(self):
        """Returns a new array with the tensor's type and shape."""
        return arrays.empty([self.shape[i] for i in range(self.rank)], NUMPY_TYPES[self.type])


class Variant(ctypes.Structure):
    """struct heddle_variant of <heddle/model.h>."""
    _fields_ = [("name", ctypes.c_char_p), ("target", ctypes.c_char_p)]


class Expression(ctypes.Structure):
    """struct heddle_expression of <heddle/model.h>."""
    _fields_ = [("code", ctypes.c_void_p), ("words", ctypes.c_uint64)]


class StateMemory(ctypes.Structure):
    """struct heddle_state_memory of <heddle/model.h>."""
    _fields_ = [("memory", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class State(ctypes.Structure):
    """The first fields of struct heddle_state of <heddle/model.h>."""
    _fields_ = [("name", ctypes.c_char_p), ("tensor_count", ctypes.c_uint64), ("tensors", ctypes.c_void_p),
                ("offsets", ctypes.c_void_p), ("batch_size", Expression), ("capacity", Expression), ("rows", Expression),
                ("filled", Expression), ("past", ctypes.c_uint64),
                ("size", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)),
                ("init", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(StateMemory), ctypes.c_void_p))]


class Model(ctypes.Structure):
    """The first fields of struct heddle_model of <heddle/model.h>."""
    _fields_ = [("abi", ctypes.c_uint32), ("struct_size", ctypes.c_uint32), ("strides", ctypes.c_uint32 * 6),
                ("needs", ctypes.c_uint64), ("name", ctypes.c_char_p), ("source", ctypes.c_char_p),
                ("device", ctypes.c_char_p), ("variant_count", ctypes.c_uint64),
                ("variants", ctypes.POINTER(Variant)), ("size_count", ctypes.c_uint64), ("sizes", ctypes.c_void_p),
                ("input_count", ctypes.c_uint64), ("output_count", ctypes.c_uint64), ("inputs", ctypes.POINTER(Tensor)),
                ("outputs", ctypes.POINTER(Tensor)), ("format_count", ctypes.c_uint64), ("formats", ctypes.c_void_p),
                ("state_count", ctypes.c_uint64), ("states", ctypes.POINTER(State)), ("weights_size", ctypes.c_uint64),
                ("stack_size", ctypes.c_uint64), ("instance_size", ctypes.c_uint64),
                ("init", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)),
                ("variant", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
                ("arena_size", ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)), ("run", ctypes.c_void_p)]


def executor(runtime, threads):
    """Returns a thread pool of Heddle's runtime; None for one thread. Here and below, `runtime` is the path of
    libheddle_bench.so, which contains the runtime and the functions of bench/*.c."""
    if threads == 1:
        return None
    library = ctypes.CDLL(runtime)
    library.heddle_executor_create.restype = ctypes.c_void_p
    library.heddle_executor_create.argtypes = [ctypes.c_size_t]
    return library.heddle_executor_create(threads)


class Touch:
    """Reads `size` bytes of memory on each CPU of this process when called, which evicts everything else from the
    caches; see touch.c."""

    def __init__(self, runtime, size):
        self.memory = np.ones(size, np.uint8)  # not zeros, whose pages might all be the same page of physical memory
        self.touch = ctypes.CDLL(runtime).heddle_bench_touch
        self.touch.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

    def __call__(self):
        if self.touch(self.memory.ctypes.data, self.memory.size):
            raise RuntimeError("cannot read memory on each CPU: no thread can be started there, or the allowed CPUs "
                               "are unknown")


class Compiled:
    """A compiled model with its arena. `call` runs the model on the arrays that were passed to `bind`. path: the shared
    library; executor: the result of the function `executor` for this number of threads."""

    def __init__(self, path, threads, executor):
        self.library = ctypes.CDLL(path)
        self.library.heddle_query.restype = ctypes.POINTER(Model)
        self.model = self.library.heddle_query(3).contents
        # The memory of the instance: the model with its weights loaded.
        self.instance = (ctypes.c_uint64 * (self.model.instance_size // 8))()
        self._check(self.model.init(ctypes.addressof(self.instance), None, None, 0))
        self.executor = executor
        self.arena = arrays.empty(self.model.arena_size(None, threads), np.uint8)

    def bind(self, inputs, wanted, fill=lambda call: None):
        """Sets the inputs, allocates the wanted outputs and those that are not optional, calls the model once, and
        returns the outputs by name. If the model keeps a state between calls, fill(call) first fills it with the past
        that the inputs continue."""
        model, self.arrays, outputs = self.model, [], {}
        memory = self.make_state() if model.state_count else None
        self.inputs = (ctypes.c_void_p * model.input_count)()
        self.outputs = (ctypes.c_void_p * model.output_count)()
        for i in range(model.input_count):
            name = model.inputs[i].name.decode()
            if name in inputs:
                self.arrays.append(np.ascontiguousarray(inputs[name]))
                self.inputs[i] = self.arrays[-1].ctypes.data
            elif model.inputs[i].state:
                self.inputs[i] = ctypes.addressof(memory)
        for i in range(model.output_count):
            name = model.outputs[i].name.decode()
            if name in wanted or not model.outputs[i].flags & OPTIONAL:
                outputs[name] = model.outputs[i].empty()
                self.outputs[i] = outputs[name].ctypes.data
        self.result = outputs
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 5, ctypes.c_size_t, ctypes.c_void_p)
        self.run = prototype(model.run)
        self.arguments = (ctypes.c_void_p(ctypes.addressof(self.instance)), None,
                          ctypes.c_void_p(ctypes.addressof(self.inputs)),
                          ctypes.c_void_p(ctypes.addressof(self.outputs)), ctypes.c_void_p(self.arena.ctypes.data),
                          ctypes.c_size_t(self.arena.size), ctypes.c_void_p(self.executor))
        fill(self.call)
        self.call()
        return outputs

    def make_state(self):
        """Returns memory for the state that the model keeps between calls. The state is empty at first."""
        state = self.model.states[0]
        self.kept = arrays.empty(state.size(None), np.uint8)
        self.memory = StateMemory(self.kept.ctypes.data, self.kept.size)
        self._check(state.init(ctypes.addressof(self.instance), self.memory, None))
        return self.memory

    def call(self):
        self._check(self.run(*self.arguments))

    def loop(self, runtime):
        """Returns a function of n that makes n calls without Python code between them; see calls.c."""
        calls = ctypes.CDLL(runtime).heddle_bench_calls
        calls.argtypes = [ctypes.c_size_t, ctypes.c_void_p] + [ctypes.c_void_p] * 5 + [ctypes.c_size_t, ctypes.c_void_p]
        return lambda n: self._check(calls(n, self.model.run, *self.arguments))

    @staticmethod
    def _check(status):
        if status:
            raise RuntimeError("heddle: " + STATUS[status])
