"""Interpreters of programs: they compute the values of a program and, from the data sheets of its machine, the times of
its tasks and copies."""

from importlib import import_module

from interp.walk.level import LEVELS

LEVELS.setdefault("pim", lambda: import_module("interp.kinds.pim.level").LEVEL)
LEVELS.setdefault("ndp", lambda: import_module("interp.kinds.ndp.level").LEVEL)
LEVELS.setdefault("tile", lambda: import_module("interp.tile.level").LEVEL)
