"""Placement: the device of each op, and the order."""
