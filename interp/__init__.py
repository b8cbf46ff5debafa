"""Interpreters of programs: values, data sheets, clock and timeline."""

from importlib import import_module

from interp.program.level import LEVELS

LEVELS.setdefault("pim", lambda: import_module("interp.banks.level").LEVEL)
LEVELS.setdefault("ndp", lambda: import_module("interp.near_data.level").LEVEL)
LEVELS.setdefault("tile", lambda: import_module("interp.tile.level").LEVEL)
