"""Walks over programs: facts of their ops and values, the levels of device programs, and the run that computes
numbers."""
