"""Other engines, each in a file with a class Engine."""
from __future__ import annotations

import abc
import importlib
from typing import Any, Dict, Mapping, Sequence, Type

from ..judge import Expected

NAMES = ("onnxruntime", "torch", "transformers")


class Refused(Exception):
    """The engine cannot run this model."""


class Base(abc.ABC):
    """An engine that has loaded a model.

    model: the model as the user named it.
    outputs: the names of Heddle's outputs. `run` returns the outputs that the engine has, too.

    Raises Refused for a model that the engine does not support.
    """

    TOLERANCE = 1e-4  # relative to the largest result, for engines without f64

    @abc.abstractmethod
    def __init__(self, model: str, outputs: Sequence[str]):
        ...

    def prepare(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        """Adjusts random inputs so that the engine defines a result for them."""
        return inputs

    @abc.abstractmethod
    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Expected]:
        ...


def load(name: str) -> Type[Base]:
    try:
        module = importlib.import_module(f"{__name__}.{name}_engine")
    except ImportError as reason:
        raise Refused(f"--engine {name}: {reason}") from None
    engine: Type[Base] = module.Engine
    return engine
