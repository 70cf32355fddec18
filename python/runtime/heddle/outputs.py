"""The result of a call."""
from __future__ import annotations

from typing import Any, Iterator, Sequence, Tuple, Union


class Outputs(Tuple[Any, ...]):
    """The arrays (numpy or heddle.DeviceArray) that a call computed: a tuple whose elements also have names.

    Examples: `hidden, embedding = model(ids)`, `model(ids)["sentence_embedding"]`, `model(ids).sentence_embedding`.
    dict(outputs) contains all arrays by name.
    """

    _names: Tuple[str, ...]

    def __new__(cls, names: Sequence[str], arrays: Sequence[Any]) -> "Outputs":
        made = super().__new__(cls, arrays)
        made._names = tuple(names)
        return made

    def keys(self) -> Tuple[str, ...]:
        return self._names

    def items(self) -> Iterator[Tuple[str, Any]]:
        return zip(self._names, self)

    def __getitem__(self, key: Union[str, int, slice]) -> Any:  # type: ignore[override]
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self._names:
            raise KeyError(f"no output is called {key!r}; there are {', '.join(self._names)}")
        return super().__getitem__(self._names.index(key))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"no output is called {name!r}")
        return self[name]

    def __reduce__(self) -> Any:
        return Outputs, (self._names, tuple(self))

    def __repr__(self) -> str:
        return f"Outputs({', '.join(f'{name}={list(array.shape)} {array.dtype}' for name, array in self.items())})"
