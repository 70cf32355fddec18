"""Imports packages that only some functions need."""
from __future__ import annotations

import importlib
import re
from importlib import metadata
from typing import Any, Dict, Tuple

from .errors import Error

# The oldest version of a package that is supported, and what the package does.
_PACKAGES: Dict[str, Tuple[str, str]] = {
    "tokenizers": ("0.19", "converts texts to tokens"),
    "jinja2": ("3.1.6", "renders chat templates; templates could leave the sandbox of older versions"),
}


def require(name: str) -> Any:
    """Returns the package `name`, an entry of _PACKAGES. Raises Error if it is missing or too old."""
    least, purpose = _PACKAGES[name]
    try:
        package = importlib.import_module(name)
    except ModuleNotFoundError:
        raise Error(f"the package {name}, which {purpose}, is missing: pip install '{name}>={least}'") from None
    version = getattr(package, "__version__", None) or metadata.version(name)
    if _numbers(version) < _numbers(least):
        raise Error(f"the package {name}, which {purpose}, has version {version}, expected {least} or "
                    f"later: pip install '{name}>={least}'")
    return package


def _numbers(version: str) -> Tuple[int, ...]:
    """Returns the numbers at the beginning of a version, such as (3, 1, 6) for 3.1.6rc1."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in found[0].split(".")) if found else ()
