"""Extents of tensors: constants, or expressions in the sizes of a call (enum heddle_size_code in <heddle/model.h>)."""
from __future__ import annotations

from typing import Any, Callable, List, Mapping, Sequence, Tuple, Union

from . import _native

# The instructions of an expression in postfix order: pairs of an operation and a number.
Code = Tuple[Tuple[int, int], ...]
# The operations without operands: the number of the instruction is the value itself, or the index of a size.
_NUMBER, SIZE = 0, 1
# The operations with two operands, as text and as functions.
_TEXTS = {2: "({} + {})", 3: "{} * {}", 4: "({} // {})", 5: "min({}, {})", 6: "max({}, {})", 7: "({} < {})",
          8: "({} == {})"}
_VALUES: Mapping[int, Callable[[int, int], int]] = {
    2: lambda a, b: a + b, 3: lambda a, b: a * b, 4: lambda a, b: a // b, 5: min, 6: max, 7: lambda a, b: int(a < b),
    8: lambda a, b: int(a == b)}


def read(tensor: _native.Tensor) -> Tuple[Code, ...]:
    """Returns the instructions of each extent of a tensor."""
    extents: List[Code] = []
    for dimension in range(tensor.rank):
        if tensor.shape[dimension] >= 0:
            extents.append(((_NUMBER, tensor.shape[dimension]),))
        else:
            extents.append(code(tensor.extents[dimension]))
    return tuple(extents)


def code(expression: _native.Expression) -> Code:
    """Returns an expression's instructions: pairs of an operation and a number."""
    words = [expression.code[i] for i in range(expression.words)]
    return tuple(zip(words[::2], words[1::2]))


def _fold(steps: Code, leaf: Callable[[int, int], Any], combine: Callable[[int, Any, Any], Any]) -> Any:
    """Evaluates an expression in postfix order: `leaf` returns the value of a number or a size, and `combine` the
    result of an operation with two operands."""
    stack: List[Any] = []
    for step, number in steps:
        if step in (_NUMBER, SIZE):
            stack.append(leaf(step, number))
        else:
            last = stack.pop()
            stack.append(combine(step, stack.pop(), last))
    return stack[0]


def text(steps: Code, names: Sequence[str]) -> Union[int, str]:
    """Returns an extent as a number if it is constant, otherwise as a formula with the names of sizes."""
    if len(steps) == 1 and steps[0][0] == _NUMBER:
        return steps[0][1]
    found: str = _fold(steps, lambda step, number: str(number) if step == _NUMBER else names[number],
                       lambda step, a, b: _TEXTS[step].format(a, b))
    # Parentheses around the whole formula are removed if it contains no others.
    return found[1:-1] if found[0] == "(" and found.index(")") == len(found) - 1 else found


def value(steps: Code, sizes: Sequence[int]) -> int:
    """Returns the value of an extent for these sizes."""
    result: int = _fold(steps, lambda step, number: number if step == _NUMBER else sizes[number],
                        lambda step, a, b: _VALUES[step](a, b))
    return result
