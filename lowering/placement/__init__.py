"""Placement: the assignment of ops to devices, and the order in which they run."""
