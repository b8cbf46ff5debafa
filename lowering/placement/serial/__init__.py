"""Placements of least sequential time: tasks and copies one after the other."""
