"""State that a model keeps between calls."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from . import _native, _sizes, _state_files, _types
from .errors import ArgumentError, Error
from .model import Model, Path

_ALIGNMENT = 64  # bytes; 8 would be sufficient, but calls are fastest with 64


class State:
    """The data that a model keeps between calls, such as the keys and values of a decoder. A call takes the state as
    an input, which the property `name` names, and updates it. Only one call at a time may use a state.

        state = heddle.State(model, batch_size=2, capacity=512)
        model(input_ids=prompt, state=state)
        model(input_ids=next_token, state=state)

    model: the model, which stays loaded as long as the state exists, unless the program closes the model.
    sizes: the sizes in ranges on which the state depends, such as batch_size and capacity; calls with the state have
      the same sizes.

    If the model's code is for a device, the state's tensors stay on the device until the state is deleted; such a state
    cannot be cloned, copied as a whole, pickled or spread, but `copy_sequence` works.

    Raises ArgumentError if the model has no state, or a size is wrong or missing.
    """
    _on_device = False  # whether memory on a device must be released

    def __init__(self, model: Model, **sizes: int):
        self._model = model
        self._state_sizes = model._told(sizes)  # Model.run reads this attribute
        self._memory = np.zeros(0, np.int8)
        self._call(self._begin)

    def _begin(self, model: _native.Model, instance: int) -> int:
        """Allocates and initialises the memory. Returns the status of the initialisation."""
        if model.state_count == 0:
            raise ArgumentError(f"{self._model.name}: the model has no state")
        state, given = model.states[0], self._state_sizes
        needed = _dependencies(model, state)
        for name in needed:
            if name not in given:
                raise ArgumentError(f"{self._model.name}: its state depends on the size {name!r}, which is not given")
        for name in given:
            if name not in needed:
                raise ArgumentError(f"{self._model.name}: its state does not depend on the size {name!r}")
        values = [given.get(size.name, size.low) for size in self._model.sizes]
        passed = (ctypes.c_size_t * len(values))(*values)
        size = state.size(passed)
        if size == 0:
            raise ArgumentError(f"{self._model.name}: {_wrong_size(model, needed, given)}")
        self._name = _native.text(state.name)
        # The offset of the numbers of filled rows in the memory, the number of sequences, and the capacity in rows.
        self._filled = _sizes.value(_sizes.code(state.filled), values)
        self._batch = _sizes.value(_sizes.code(state.batch_size), values)
        self._capacity = _sizes.value(_sizes.code(state.capacity), values)
        self._memory = _aligned(size)
        self._places = [_place(state, i, values) for i in range(state.tensor_count)]
        status = int(state.init(instance, ctypes.byref(self._as_native()), passed))
        self._on_device = bool(model.device) and status == _native.OK
        return status

    def __del__(self) -> None:
        if not self._on_device:
            return
        self._on_device = False
        try:
            self._call(self._end)
        except Error:  # the model was closed before
            pass

    def _end(self, model: _native.Model, instance: int) -> int:
        """Releases the state's memory on a device."""
        model.states[0].deinit(instance, ctypes.byref(self._as_native()))
        return _native.OK

    def _refuse_on_device(self, what: str) -> None:
        if self._on_device:
            raise ArgumentError(f"{self._model.name}: a state in memory of a device cannot be {what}")

    @property
    def name(self) -> str:
        """The name of the input that takes the state."""
        return self._name

    @property
    def sizes(self) -> Dict[str, int]:
        return dict(self._state_sizes)

    @property
    def filled(self) -> Tuple[int, ...]:
        """The number of filled rows of each sequence. A call with a smaller `past` discards the rows from `past` on."""
        return tuple(int(n) for n in self._rows)

    def copy_sequence(self, source: int, target: int) -> None:
        """Makes sequence `target` a copy of sequence `source`.

        Raises ArgumentError if a sequence does not exist, or if the state's contents are incomplete because an earlier
        call failed while it replaced them.
        """
        numbers = self._sequence(source), self._sequence(target)
        self._call(lambda model, instance: model.states[0].copy(instance, ctypes.byref(self._as_native()), *numbers))

    def _sequence(self, number: int) -> int:
        """Returns the number if the batch has this sequence; otherwise raises ArgumentError."""
        if not isinstance(number, (int, np.integer)) or not 0 <= number < self._batch:
            raise ArgumentError(f"{self._model.name}: there is no sequence {number}")
        return int(number)

    def clone(self) -> "State":
        """Returns a copy of the state. Raises ArgumentError if the state is on a device."""
        self._refuse_on_device("cloned")
        other = State.__new__(State)
        other.__setstate__(self.__dict__)
        return other

    def __getstate__(self) -> Dict[str, Any]:  # for pickle and copy
        self._refuse_on_device("copied")
        return self.__dict__

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._memory = _aligned(len(state["_memory"]))
        self._memory[:] = state["_memory"]

    def spread(self, sequence: int = 0, **sizes: int) -> "State":
        """Returns a new state in which each sequence is a copy of `sequence`, so a prompt that was read once can
        be continued in several ways. `sizes` are the sizes of the new state that differ from those of this state.

        Raises ArgumentError if there is no such sequence, if its rows do not fit, if one of `sizes` is wrong, if the
        state is on a device, or if the state's contents are incomplete because an earlier call failed while it replaced
        them.
        """
        self._refuse_on_device("spread")
        self.copy_sequence(sequence, sequence)  # changes nothing, but checks the beginning of the memory
        other = State(self._model, **{**self._state_sizes, **sizes})
        filled = self.filled[sequence]
        if 0 < other._capacity < filled:
            raise ArgumentError(f"{self._model.name}: sequence {sequence} has {filled} rows, but the new state has "
                                f"room for only {other._capacity}")
        for source, target in zip(self._tensors, other._tensors):
            row = source[sequence]
            part = tuple(slice(min(mine, theirs)) for mine, theirs in zip(row.shape, target.shape[1:]))
            target[(slice(None), *part)] = row[part]
        other._rows[:] = filled
        return other

    def save(self, path: Path) -> None:
        """Writes the state to a file, which `load` reads. Raises ArgumentError if the file cannot be written, or if the
        state is on a device."""
        _state_files.write(self, path, {})

    @staticmethod
    def load(model: Model, path: Path) -> "State":
        """Returns the state that `save` wrote to a file.

        model: a model with the same weights and sizes as the one whose state was saved.

        Raises ArgumentError if the file cannot be read, is damaged, or contains the state of another model.
        """
        return _state_files.read(model, path)[0]

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self._memory.__array_interface__

    def __repr__(self) -> str:
        return f"<heddle.State of {self._model.name}: {', '.join(f'{n}={v}' for n, v in self._state_sizes.items())}>"

    @property
    def _rows(self) -> "np.ndarray[Any, Any]":
        """The numbers of filled rows in the state's memory, one for each sequence."""
        return self._memory[self._filled:self._filled + 8 * self._batch].view(np.int64)

    @property
    def _tensors(self) -> List["np.ndarray[Any, Any]"]:
        """The state's tensors, as arrays over its memory. The first dimension is the sequence."""
        return [self._memory[begin:begin + int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape)
                for begin, dtype, shape in self._places]

    def _as_native(self) -> _native.StateMemory:
        return _native.StateMemory(self._memory.ctypes.data, len(self._memory))

    def _call(self, function: Callable[[_native.Model, int], int]) -> None:
        """Calls `function` with the description of the model and the pointer that the functions of the description take
        as `model`. Raises ArgumentError if `function` returns a status other than success."""
        handles = self._model._handles
        call = handles.take()  # the model cannot be closed before `give`
        try:
            status = function(handles.model.contents, _native.library.heddle_instance_state(handles.instance))
        finally:
            handles.give(call)
        if status != _native.OK:
            raise ArgumentError(f"{self._model.name}: {_native.text(_native.library.heddle_status_words(status))}")


def _place(state: _native.State, i: int, sizes: Sequence[int]) -> Tuple[int, "np.dtype[Any]", Tuple[int, ...]]:
    """Returns a state tensor's offset, element type and shape."""
    tensor = state.tensors[i]
    shape = tuple(_sizes.value(extent, sizes) for extent in _sizes.read(tensor))
    return _sizes.value(_sizes.code(state.offsets[i]), sizes), _types.MEMORY[_types.NAMES[tensor.type]], shape


def _dependencies(model: _native.Model, state: _native.State) -> List[str]:
    """Returns the names of the sizes that a state depends on."""
    expressions = [state.batch_size, state.capacity]
    for i in range(state.tensor_count):
        tensor = state.tensors[i]
        expressions += [tensor.extents[d] for d in range(tensor.rank)] if tensor.extents else []
    found = {number for expression in expressions for step, number in _sizes.code(expression) if step == _sizes.SIZE}
    return [_native.text(model.sizes[i].name) for i in sorted(found)]


def _wrong_size(model: _native.Model, needed: Sequence[str], given: Dict[str, int]) -> str:
    """Returns a message that names the size that is out of its range, or no size if all given sizes lie in theirs."""
    for i in range(model.size_count):
        size = model.sizes[i]
        name = _native.text(size.name)
        if name in needed and not size.low <= given[name] <= size.high:
            return f"{name} is {given[name]}, outside {size.low}..{size.high}"
    return "a size of its state is out of its range"


def _aligned(size: int) -> "np.ndarray[Any, Any]":
    """Returns `size` bytes of zeroed memory that is aligned to _ALIGNMENT."""
    memory = np.zeros(size + _ALIGNMENT, np.int8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start:start + size]
