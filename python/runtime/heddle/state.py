"""What a model keeps from call to call."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from . import _native, _sizes, _types
from .errors import ArgumentError, Error
from .model import Model

_ALIGNMENT = 64  # as is fastest


class State:
    """The memory of a model's states: what a decoder has read, for instance. Calls take it as their input of its name,
    and go on from what it has; one call at a time.

        state = heddle.State(model, batch_size=2, capacity=512)
        model(input_ids=prompt, state=state)
        model(input_ids=next_token, state=state)

    model: stays loaded as long as its states are used.
    sizes: those that states depend on, where they lie in ranges; the calls that take the state have them, too.

    Where the model's code is for a device the state's tensors lie there, until the state is gone; then it cannot be
    cloned or spread.

    Raises ArgumentError where the model has no state, or a size is wrong or missing.
    """
    _on_device = False  # something there is to be released

    def __init__(self, model: Model, **sizes: int):
        self._model = model
        self._state_sizes = model._told(sizes)  # which Model.run looks for
        self._memory = np.zeros(0, np.int8)
        self._call(self._begin)

    def _begin(self, model: _native.Model, instance: int) -> int:
        if model.state_count == 0:
            raise ArgumentError(f"{self._model.name}: keeps nothing from call to call")
        state, given = model.states[0], self._state_sizes
        needed = _dependencies(model, state)
        for name in needed:
            if name not in given:
                raise ArgumentError(f"{self._model.name}: its state has a size {name!r}, which is not given")
        for name in given:
            if name not in needed:
                raise ArgumentError(f"{self._model.name}: its state does not depend on the size {name!r}")
        values = [given.get(size.name, size.low) for size in self._model.sizes]
        passed = (ctypes.c_size_t * len(values))(*values)
        size = state.size(passed)
        if size == 0:
            raise ArgumentError(f"{self._model.name}: {_wrong_size(model, needed, given)}")
        self._name = _native.text(state.name)
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
        model.states[0].deinit(instance, ctypes.byref(self._as_native()))
        return _native.OK

    def _refuse_on_device(self, what: str) -> None:
        if self._on_device:
            raise ArgumentError(f"{self._model.name}: a state that lies on a device cannot be {what}")

    @property
    def name(self) -> str:
        """What the input is called that takes it."""
        return self._name

    @property
    def sizes(self) -> Dict[str, int]:
        return dict(self._state_sizes)

    @property
    def filled(self) -> Tuple[int, ...]:
        """How many rows each sequence has. A call whose input of the past has less takes the rest back."""
        return tuple(int(n) for n in self._rows)

    def copy_sequence(self, source: int, target: int) -> None:
        """Sequence `target` becomes what sequence `source` is.

        Raises ArgumentError where one of them does not exist, or the state was to be replaced by a call that failed.
        """
        numbers = self._sequence(source), self._sequence(target)
        self._call(lambda model, instance: model.states[0].copy(instance, ctypes.byref(self._as_native()), *numbers))

    def _sequence(self, number: int) -> int:
        """Of the batch, or ArgumentError."""
        if not isinstance(number, (int, np.integer)) or not 0 <= number < self._batch:
            raise ArgumentError(f"{self._model.name}: there is no sequence {number}")
        return int(number)

    def clone(self) -> "State":
        """Another state that has the same. Raises ArgumentError where it lies on a device."""
        self._refuse_on_device("cloned")
        other = State.__new__(State)
        other.__setstate__(self.__dict__)
        return other

    def __getstate__(self) -> Dict[str, Any]:  # of pickle, and of copy
        self._refuse_on_device("copied")
        return self.__dict__

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._memory = _aligned(len(state["_memory"]))
        self._memory[:] = state["_memory"]

    def spread(self, sequence: int = 0, **sizes: int) -> "State":
        """Another state, of these sizes where they differ from this one's, each of whose sequences has what `sequence` has:
        a prompt that is read once goes on in several ways.

        Raises ArgumentError where there is no such sequence, or no room for its rows, or the state lies on a device, or was
        to be replaced by a call that failed.
        """
        self._refuse_on_device("spread")
        self.copy_sequence(sequence, sequence)  # which changes nothing, and looks at the header
        other = State(self._model, **{**self._state_sizes, **sizes})
        filled = self.filled[sequence]
        if 0 < other._capacity < filled:
            raise ArgumentError(f"{self._model.name}: sequence {sequence} has {filled} rows, a state with room for "
                                f"{other._capacity} does not hold them")
        for source, target in zip(self._tensors, other._tensors):
            row = source[sequence]
            part = tuple(slice(min(mine, theirs)) for mine, theirs in zip(row.shape, target.shape[1:]))
            target[(slice(None), *part)] = row[part]
        other._rows[:] = filled
        return other

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        return self._memory.__array_interface__

    def __repr__(self) -> str:
        return f"<heddle.State of {self._model.name}: {', '.join(f'{n}={v}' for n, v in self._state_sizes.items())}>"

    @property
    def _rows(self) -> "np.ndarray[Any, Any]":
        return self._memory[self._filled:self._filled + 8 * self._batch].view(np.int64)

    @property
    def _tensors(self) -> List["np.ndarray[Any, Any]"]:
        return [self._memory[begin:begin + int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape)
                for begin, dtype, shape in self._places]

    def _as_native(self) -> _native.StateMemory:
        return _native.StateMemory(self._memory.ctypes.data, len(self._memory))

    def _call(self, function: Callable[[_native.Model, int], int]) -> None:
        handles = self._model._handles
        call = handles.take()  # the model stays open so long
        try:
            status = function(handles.model.contents, _native.library.heddle_instance_state(handles.instance))
        finally:
            handles.give(call)
        if status != _native.OK:
            raise ArgumentError(f"{self._model.name}: {_native.text(_native.library.heddle_status_words(status))}")


def _place(state: _native.State, i: int, sizes: Sequence[int]) -> Tuple[int, "np.dtype[Any]", Tuple[int, ...]]:
    """Of a tensor of the state: where it begins, and as what it lies there."""
    tensor = state.tensors[i]
    shape = tuple(_sizes.value(extent, sizes) for extent in _sizes.read(tensor))
    return _sizes.value(_sizes.code(state.offsets[i]), sizes), _types.MEMORY[_types.NAMES[tensor.type]], shape


def _dependencies(model: _native.Model, state: _native.State) -> List[str]:
    """The sizes that a state has."""
    expressions = [state.batch_size, state.capacity]
    for i in range(state.tensor_count):
        tensor = state.tensors[i]
        expressions += [tensor.extents[d] for d in range(tensor.rank)] if tensor.extents else []
    found = {number for expression in expressions for step, number in _sizes.code(expression) if step == _sizes.SIZE}
    return [_native.text(model.sizes[i].name) for i in sorted(found)]


def _wrong_size(model: _native.Model, needed: Sequence[str], given: Dict[str, int]) -> str:
    """Which of the sizes of a state there is no state of."""
    for i in range(model.size_count):
        size = model.sizes[i]
        name = _native.text(size.name)
        if name in needed and not size.low <= given[name] <= size.high:
            return f"{name} is {given[name]}, outside {size.low}..{size.high}"
    return "sizes of its state are out of their range"


def _aligned(size: int) -> "np.ndarray[Any, Any]":
    memory = np.zeros(size + _ALIGNMENT, np.int8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start:start + size]
