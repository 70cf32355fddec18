"""Other engines, each in a file with a class Engine."""
from __future__ import annotations

import abc
import importlib
from typing import Any, Dict, Mapping, Sequence, Type

from ..comparison import Expected

NAMES = ("onnxruntime", "torch", "transformers")


class Refused(Exception):
    """The engine cannot run this model."""


class Base(abc.ABC):
    """An engine that has loaded a model.

    model: the model as the user named it.
    outputs: the names of the outputs of Heddle's model. `run` returns those of them that the engine also computes.

    Raises Refused for a model that the engine does not support.
    """

    # The largest accepted difference, relative to the largest result, if the engine does not compute in f64.
    TOLERANCE = 1e-4

    @abc.abstractmethod
    def __init__(self, model: str, outputs: Sequence[str]):
        ...

    def prepare(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        """Adjusts random inputs so that the engine defines a result for them."""
        return inputs

    # Returns the engine's results by output name, for arrays by input name. bfloat16 inputs are passed as float32.
    @abc.abstractmethod
    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Expected]:
        ...


def load(name: str) -> Type[Base]:
    """Returns the class for an engine, one of NAMES. Raises Refused if the packages of the engine are not installed."""
    try:
        module = importlib.import_module(f"{__name__}.{name}_engine")
    except ImportError as reason:
        raise Refused(f"--engine {name}: {reason}") from None
    engine: Type[Base] = module.Engine
    return engine
