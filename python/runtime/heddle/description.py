"""The description of the model in a library."""
from __future__ import annotations

import dataclasses
from typing import Mapping, Optional, Sequence, Tuple, Union

from . import _native, _sizes, _types


@dataclasses.dataclass(frozen=True)
class Size:
    """A size that can differ from call to call, and its range, both ends included.

    classes: the smallest size of each class that has separate code; empty if all sizes share their code.
    """
    name: str
    low: int
    high: int
    classes: Tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An input or an output.

    dtype: numpy's name of the element type, or "bfloat16".
    shape: for each dimension a number, or a formula with the names of sizes.
    optional: whether an input may be absent (every element is `default` then), or an output need not be requested.
    low, high: the allowed range of an input's elements; None if all values are allowed.
    is_read_by_host: whether code for a device reads the elements of the input on the host: it checks their range, or
      they are the numbers of filled rows of a state.
    is_state: whether the input is the memory of a state, which is on the host.
    """
    name: str
    dtype: str
    shape: Tuple[Union[int, str], ...]
    optional: bool = False
    default: Optional[int] = None
    low: Optional[int] = None
    high: Optional[int] = None
    is_read_by_host: bool = False
    is_state: bool = False
    # The extents of `shape` as code (_sizes.py), and the names of the sizes to which the code refers by index.
    _extents: Tuple[_sizes.Code, ...] = dataclasses.field(default=(), repr=False, compare=False)
    _sizes: Tuple[str, ...] = dataclasses.field(default=(), repr=False, compare=False)

    def shape_at(self, sizes: Mapping[str, int]) -> Tuple[int, ...]:
        """Returns the shape for these sizes. `sizes` maps the name of each size of the model to its value."""
        return tuple(_sizes.value(extent, [sizes[name] for name in self._sizes]) for extent in self._extents)

    @classmethod
    def read(cls, tensor: _native.Tensor, sizes: Sequence[str], is_input: bool,
             is_past: bool = False) -> "Tensor":
        optional, ranged = bool(tensor.flags & _native.OPTIONAL), bool(tensor.flags & _native.RANGE)
        extents = _sizes.read(tensor)
        return cls(_native.text(tensor.name), _types.NAMES[tensor.type],
                   tuple(_sizes.text(extent, sizes) for extent in extents), optional,
                   tensor.default_value if optional and is_input else None, tensor.low if ranged else None,
                   tensor.high if ranged else None, is_input and (ranged or is_past),
                   is_input and tensor.state != 0, extents, tuple(sizes))


@dataclasses.dataclass(frozen=True)
class Description:
    """A model in a library.

    name: the name with which the library's C functions begin.
    source: the name of the model that was compiled.
    device: the kind of device that the code is for; None: CPUs.
    variants: the CPUs that the library has code for.
    weights_size: in bytes.
    """
    name: str
    source: str
    device: Optional[str]
    variants: Tuple[str, ...]
    sizes: Tuple[Size, ...]
    inputs: Tuple[Tensor, ...]
    outputs: Tuple[Tensor, ...]
    weights_size: int

    @classmethod
    def read(cls, model: _native.Model) -> "Description":
        sizes = tuple(Size(_native.text(size.name), size.low, size.high, tuple(size.classes[i] for i in range(size.class_count)))
                      for size in (model.sizes[i] for i in range(model.size_count)))
        names = [size.name for size in sizes]
        past = {model.states[i].past for i in range(model.state_count)}
        return cls(_native.text(model.name), _native.text(model.source),
                   _native.text(model.device) if model.device else None,
                   tuple(_native.text(model.variants[i].name) for i in range(model.variant_count)), sizes,
                   tuple(Tensor.read(model.inputs[i], names, True, i in past) for i in range(model.input_count)),
                   tuple(Tensor.read(model.outputs[i], names, False) for i in range(model.output_count)),
                   model.weights_size)
