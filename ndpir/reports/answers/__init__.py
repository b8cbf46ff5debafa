"""Answers of a run as plain data: frozen dataclasses of numbers and text, with units in their names.

The text targets print them, `-t json` writes them, the report draws them, and sweeps tabulate them, so that all show
the same numbers. `Run` (`ndpir/reports/run.py`) computes, once, the data that several answers need.
"""
