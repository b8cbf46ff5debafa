"""All converters: importing this module fills their table."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ndpir.frontends.torch import aten

MODULES = tuple(import_module(f"{aten.__name__}.{each.name}") for each in iter_modules(aten.__path__))
"""The modules that fill the table of converters when imported."""
