"""Packages whose names are imported when they are first used (PEP 562): most programs use few of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from rv.target.process_forks import loading


def importing(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `modules` maps its names to the modules that define them."""

    def attribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        with loading(modules[name]):
            return getattr(import_module(modules[name]), name)

    return attribute
