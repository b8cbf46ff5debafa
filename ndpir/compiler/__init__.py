"""Compilation of a program on a machine: requests, passes and targets from text, changes of sheets, comparisons."""
