"""Helpers for all interpreters of programs: the entry function, views, weights, the amount of work in a run, and arrays
for arguments."""
