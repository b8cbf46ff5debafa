"""Placements of minimum serial time: the sum of all tasks and copies."""
