"""Transformations of programs: one file a pass. A pass that needs a time asks `interp`."""
