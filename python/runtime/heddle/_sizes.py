"""Extents of tensors, which may be computed from a call's sizes: enum heddle_size_code in <heddle/model.h>."""
from __future__ import annotations

from typing import Any, Callable, List, Mapping, Sequence, Tuple, Union

from . import _native

Code = Tuple[Tuple[int, int], ...]
_NUMBER, _SIZE = 0, 1
_TEXTS = {2: "({} + {})", 3: "{} * {}", 4: "({} // {})", 5: "min({}, {})", 6: "max({}, {})", 7: "({} < {})",
          8: "({} == {})"}
_VALUES: Mapping[int, Callable[[int, int], int]] = {
    2: lambda a, b: a + b, 3: lambda a, b: a * b, 4: lambda a, b: a // b, 5: min, 6: max, 7: lambda a, b: int(a < b),
    8: lambda a, b: int(a == b)}


def read(tensor: _native.Tensor) -> Tuple[Code, ...]:
    """The steps of each extent."""
    extents: List[Code] = []
    for dimension in range(tensor.rank):
        if tensor.shape[dimension] >= 0:
            extents.append(((_NUMBER, tensor.shape[dimension]),))
        else:
            expression = tensor.extents[dimension]
            code = [expression.code[i] for i in range(expression.words)]
            extents.append(tuple(zip(code[::2], code[1::2])))
    return tuple(extents)


def _fold(code: Code, leaf: Callable[[int, int], Any], combine: Callable[[int, Any, Any], Any]) -> Any:
    stack: List[Any] = []
    for step, number in code:
        if step in (_NUMBER, _SIZE):
            stack.append(leaf(step, number))
        else:
            last = stack.pop()
            stack.append(combine(step, stack.pop(), last))
    return stack[0]


def text(code: Code, names: Sequence[str]) -> Union[int, str]:
    """The number, or a formula of the sizes' names."""
    if len(code) == 1 and code[0][0] == _NUMBER:
        return code[0][1]
    found: str = _fold(code, lambda step, number: str(number) if step == _NUMBER else names[number],
                       lambda step, a, b: _TEXTS[step].format(a, b))
    return found[1:-1] if found[0] == "(" and found.index(")") == len(found) - 1 else found


def value(code: Code, sizes: Sequence[int]) -> int:
    """What it is for these sizes."""
    result: int = _fold(code, lambda step, number: number if step == _NUMBER else sizes[number],
                        lambda step, a, b: _VALUES[step](a, b))
    return result
